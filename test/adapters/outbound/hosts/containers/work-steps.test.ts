import { expect, test } from 'vitest';
import { workSteps } from '../../../../../src/adapters/outbound/hosts/containers/shell-container-engine.ts';

const place = { project: 'shop', directory: '/srv/shop', configFiles: ['/srv/shop/compose.yaml'] };
const change = (service: string, image: string) => ({
  directory: '/srv/shop',
  service,
  image,
  from: null,
  to: `sha256:${'a'.repeat(64)}`,
});

test('An update of containers counts the images that it pulls, each once', () => {
  const services = [change('app', 'shop:1'), change('worker', 'shop:1'), change('db', 'db:1')].map(
    (each) => ({ change: each, imageId: 'sha256:b', containers: 1 }),
  );
  const steps = workSteps({ kind: 'patch', projects: [{ place, services }], prune: false });
  const pulling = (done: number) => ({
    name: 'Pulling images',
    amount: { done, total: 2, unit: 'images' },
  });
  expect(steps('Pulling shop@sha256:a')).toEqual(pulling(0));
  expect(steps('Pulling db@sha256:a')).toEqual(pulling(1));
  expect(steps('sha256:abc')).toBeNull();
  expect(steps(' Container shop-app-1  Recreate')).toEqual({ name: 'Changing the containers' });
  expect(steps('Rolling back to the previous images.')).toEqual({ name: 'Rolling back' });
  expect(steps(' Container shop-app-1  Recreate')).toBeNull();
});

test('A stack that is restarted pulls nothing', () => {
  const steps = workSteps({ kind: 'restart', place, services: [] });
  expect(steps(' Container shop-app-1  Restarting')).toEqual({ name: 'Changing the containers' });
});
