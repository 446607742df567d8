import { describe, expect, it } from 'vitest';
import { canonicalReference, meanTheSame } from '../../../src/domain/compose/image-reference.ts';

describe('a reference to an image', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['nginx:1', 'docker.io/library/nginx:1'],
    ['team/app', 'docker.io/team/app:latest'],
    ['index.docker.io/team/app:2', 'docker.io/team/app:2'],
    ['localhost:5000/app', 'localhost:5000/app:latest'],
    ['localhost/app:1', 'localhost/app:1'],
    ['ghcr.io/team/app:1', 'ghcr.io/team/app:1'],
    ['nginx@sha256:abc', 'docker.io/library/nginx@sha256:abc'],
    ['nginx:1@sha256:abc', 'docker.io/library/nginx:1@sha256:abc'],
  ])('%s is in full %s', (short, full) => {
    expect(canonicalReference(short)).toBe(full);
    expect(meanTheSame(short, full)).toBe(true);
  });

  it('means another image where its registry, name or tag is another', () => {
    for (const other of ['nginx:2', 'team/nginx:1', 'quay.io/library/nginx:1', 'nginx:1@sha256:abc']) {
      expect(meanTheSame('nginx:1', other)).toBe(false);
    }
  });
});
