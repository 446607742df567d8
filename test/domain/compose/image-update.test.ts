import { describe, expect, it } from 'vitest';
import {
  canonicalRepository,
  digestsOf,
  pulledName,
  registryOf,
} from '../../../src/domain/compose/image-reference.ts';
import { imageVerdict } from '../../../src/domain/compose/image-update.ts';

const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];

describe('a reference', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx', 'docker.io'],
    ['nginx:1.27', 'docker.io/library/nginx', 'docker.io'],
    ['grafana/grafana:11', 'docker.io/grafana/grafana', 'docker.io'],
    ['index.docker.io/grafana/grafana', 'docker.io/grafana/grafana', 'docker.io'],
    ['localhost/app', 'localhost/app', 'localhost'],
    ['localhost:5000/app:1', 'localhost:5000/app', 'localhost:5000'],
    ['registry.example/team/app', 'registry.example/team/app', 'registry.example'],
    [`registry.example:5000/app:1@${A}`, 'registry.example:5000/app', 'registry.example:5000'],
  ])('%s is known to registries as %s', (reference, repository, registry) => {
    expect(canonicalRepository(reference)).toBe(repository);
    expect(registryOf(reference)).toBe(registry);
  });

  it('is pulled by digest without its tag', () => {
    expect(pulledName('localhost:5000/app:1', A)).toBe(`localhost:5000/app@${A}`);
    expect(pulledName('nginx', A)).toBe(`nginx@${A}`);
  });

  it('knows the digests of its own repository only', () => {
    const known = [`nginx@${A}`, `registry.example/nginx@${B}`, 'none'];
    expect(digestsOf(known, 'docker.io/library/nginx:1')).toEqual([A]);
    expect(digestsOf(known, 'registry.example/nginx')).toEqual([B]);
    expect(digestsOf(known, 'apache')).toEqual([]);
  });
});

describe('an image', () => {
  const here = [`nginx@${A}`];

  it('has an update where the registry has another digest', () => {
    expect(imageVerdict('nginx', here, { digest: B })).toEqual({
      update: true,
      from: A,
      to: B,
      reason: null,
    });
  });

  it('has none where any of its digests is the registry’s', () => {
    const both = [...here, `nginx@${B}`];
    expect(imageVerdict('nginx', both, { digest: B })).toMatchObject({ update: false, from: B, to: B });
  });

  it('that is named by its digest never has one', () => {
    expect(imageVerdict(`nginx@${A}`, here, undefined)).toMatchObject({ update: false, to: null });
  });

  it.each([
    ['was built on the host', 'app', [], { digest: A }, /built or loaded/],
    ['has no name', '', here, undefined, /has no name/],
    ['nobody asked about', 'nginx', here, undefined, /No registry was queried/],
    ['the registry says nothing about', 'nginx', here, { digest: null, reason: 'It is down.' }, /It is down/],
  ] as const)('that %s is unknown, and why', (_, reference, digests, word, reason) => {
    expect(imageVerdict(reference, digests, word)).toMatchObject({
      update: null,
      to: null,
      reason: expect.stringMatching(reason),
    });
  });
});
