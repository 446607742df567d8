import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSource } from '../../../../src/domain/backups/backup-source.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  for (const { id } of [fixture.alpha, fixture.beta]) {
    const containers = [containerOf({ name: `db-${id}` }), containerOf({ name: `app-${id}`, state: 'dead' })];
    await fixture.stores.inventories.save(id, inventoryOf({ containers }));
    await fixture.stores.servers.setFeatures(id, { backup: true }, fixture.clock.now(), () => ({}));
  }
  const all = await fixture.token(['jobs']);
  for (const id of [1, 2]) {
    const json = { job_type: 'retention' };
    await fixture.stores.sources.add(
      describeSource({ serverId: id, name: 'more', paths: ['/etc'], at: fixture.clock.now() }),
      () => ({}),
    );
    await fixture.request(`/api/v1/servers/${id}/jobs`, { method: 'POST', token: all, json });
  }
  token = await fixture.token(['read', 'jobs', 'edit'], { allowedServerIds: [2] });
});
afterAll(() => fixture.close());

const read = async (path: string) => (await fixture.request(`/api/v1${path}`, { token })).json;

describe('a token for some servers', () => {
  it('sees only these, in lists and counts', async () => {
    expect(await read('/servers')).toMatchObject({ servers: [{ id: 2 }], total: 1 });
    expect(await read('/servers?q=example')).toMatchObject({ total: 1 });
    expect(await read('/inventory')).toMatchObject({ hosts: [{ server_id: 2 }], total: 1 });
    expect(await read('/jobs')).toMatchObject({ jobs: [{ server_id: 2 }], total: 1 });
    expect(await read('/services')).toMatchObject({
      services: [
        { server_id: 2, server_name: 'beta', label: 'app-2', state: 'failed' },
        { server_id: 2, label: 'db-2', state: 'ok' },
      ],
      count: 2,
      total: 2,
    });
    expect(await read('/services?q=db')).toMatchObject({ count: 1, total: 1 });
    expect(await read('/services?limit=1')).toMatchObject({ count: 1, total: 2 });
    expect(await read('/summary')).toMatchObject({ hosts: 1, jobs_running: 1 });
  });

  it.each([
    ['GET', '/servers/1'],
    ['GET', '/servers/1/inventory'],
    ['GET', '/inventory?server_id=1'],
    ['GET', '/services?server_id=1'],
    ['GET', '/jobs?server_id=1'],
    ['GET', '/servers/1/jobs'],
    ['GET', '/servers/1/snapshots'],
    ['GET', '/jobs/1'],
    ['POST', '/servers/1/jobs'],
    ['POST', '/jobs/1/cancel'],
    ['PATCH', '/servers/1/features'],
  ])('cannot tell the others from servers that are not there: %s %s', async (method, path) => {
    const json = { POST: path.endsWith('jobs') ? { job_type: 'backup' } : {}, PATCH: { backup: true } }[
      method
    ];
    const ask = (at: string) => fixture.request(`/api/v1${at}`, { method, token, ...(json ? { json } : {}) });
    const absent = (await ask(path.replace('1', '4711'))).text.replaceAll('4711', '1');
    const hidden = await ask(path);
    expect(hidden.status).toBe(404);
    expect(hidden.text).toBe(absent);
  });
});
