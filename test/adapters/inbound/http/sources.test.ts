import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeSource } from '../../../../src/domain/backups/backup-source.ts';
import { describeDump } from '../../../../src/domain/backups/dump.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
let path: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  path = `/api/v1/servers/${fixture.alpha.id}/sources`;
  const excludes = ['*.tmp', 'nothing'];
  await fixture.stores.sources.add(
    describeSource({ serverId: fixture.alpha.id, name: 'www', paths: ['/srv/www'], excludes, at: 0 }),
    () => ({}),
  );
});
afterAll(() => fixture.close());

const get = (token: string, at: string) => fixture.request(at, { token });

describe('Backup sources over REST', () => {
  test('are listed to those who may read', async () => {
    const reader = await fixture.token(['read']);
    const { status, json } = await get(reader, path);
    expect([status, json]).toMatchObject([
      200,
      { total: 2, sources: [{}, { name: 'www', paths: ['/srv/www'], excludes: ['*.tmp', 'nothing'] }] },
    ]);
    expect((await get(reader, `${path}?limit=1&offset=1`)).json).toMatchObject({
      total: 2,
      sources: [{ name: 'www' }],
    });
    expect((await get(reader, '/api/v1/servers/99/sources')).status).toBe(404);
  });

  test('show their dumps without passwords and what they stop; a token changes neither', async () => {
    const [source] = await fixture.stores.sources.ofServer(fixture.alpha.id);
    if (!source) throw new Error('no source');
    const described = { name: 'shop', kind: 'mysql', user: 'backup', password: 'hunter2hunter2' } as const;
    const dump = describeDump({ ...described, sourceId: source.id, at: 0 });
    await fixture.stores.dumps.add(
      dump,
      () => 'sealed-hunter2',
      () => ({}),
    );
    const all = await fixture.token(['read', 'jobs', 'edit', 'files']);
    const { json, text } = await get(all, path);
    expect(json.sources[0]).toMatchObject({
      hooks: [],
      dumps: [{ name: 'shop', kind: 'mysql', user: 'backup', has_password: true }],
    });
    expect(json.sources[1].dumps).toEqual([]);
    expect(text).not.toContain('hunter2');
    const asked = { method: 'POST', token: all, json: described } as const;
    for (const at of [path, `${path}/etc/dumps`, `${path}/etc`])
      expect([404, 405]).toContain((await fixture.request(at, asked)).status);
    const restore = { server_id: fixture.alpha.id, job_type: 'dump_restore' };
    const refused = await fixture.request(`/api/v1/servers/${fixture.alpha.id}/jobs`, {
      ...asked,
      json: restore,
    });
    expect([refused.status, refused.json.code]).toEqual([422, 'invalid_input']);
    for (const at of ['servers', `servers/${fixture.alpha.id}`, 'inventory'])
      expect((await get(all, `/api/v1/${at}`)).text).not.toContain('dump');
    expect(await fixture.stores.dumps.ofServer(fixture.alpha.id)).toHaveLength(1);
  });

  test('are previewed for those who may edit', async () => {
    const editor = await fixture.token(['read', 'edit']);
    const { status, json } = await get(editor, `${path}/www/preview`);
    expect([status, json]).toMatchObject([
      200,
      {
        server_id: fixture.alpha.id,
        kept: { files: 3, bytes: 5000 },
        left_out: { files: 1, bytes: 1024 },
        patterns: [
          { pattern: '*.tmp', matches: 1 },
          { pattern: 'nothing', matches: 0 },
        ],
        largest: [{ path: '/srv/www/*.tmp', escaped: false, kind: 'file', files: 1, bytes: 1024 }],
        unreadable: 0,
        complete: true,
      },
    ]);
    expect((await get(editor, `${path}/gone/preview`)).json).toMatchObject({ code: 'source_not_found' });
    const reader = await fixture.token(['read', 'jobs', 'files']);
    expect((await get(reader, `${path}/www/preview`)).status).toBe(403);
    const other = await fixture.token(['read', 'edit', 'feature:os']);
    expect((await get(other, `${path}/www/preview`)).json).toMatchObject({ code: 'feature_not_allowed' });
  });
});
