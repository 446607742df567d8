import { expect, test } from 'vitest';
import { bringsKernel, restartsOf } from '../../../src/domain/fleet/upgrade-effects.ts';

const upgrade = (...names: string[]) => names.map((name) => ({ kind: 'upgrade' as const, name }));

test('An upgrade restarts the services of its packages, each once', () => {
  const names = ['nginx', 'nginx-common', 'openssh-server', 'openssl', 'docker.io', 'libnginx', 'php8.3-fpm'];
  expect(restartsOf(upgrade(...names))).toEqual(['nginx', 'ssh', 'docker', 'php']);
  expect(restartsOf([{ kind: 'install', name: 'nginx' }])).toEqual([]);
});

test.each([
  ['linux-image-amd64', true],
  ['linux-image', true],
  ['kernel-core', true],
  ['linux-libc-dev', false],
  ['kernel-tools', false],
])('%s brings a new kernel: %s', (name, brings) => {
  expect(bringsKernel(upgrade(name))).toBe(brings);
  expect(bringsKernel([{ kind: 'remove', name }])).toBe(false);
});
