import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '../../../../src/domain/base/instant.ts';
import { type HostState, STATE_KINDS } from '../../../../src/domain/fleet/host-state.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const NONE = Object.fromEntries(STATE_KINDS.map((kind) => [kind, null])) as unknown as HostState;

let fixture: WebFixture;
let viewer: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  viewer = await fixture.signedIn('viewer');
  const { clock, hostChanges } = fixture.scene;
  for (const name of ['mail', 'shop']) {
    const { id } = await fixture.scene.addServer(name);
    const packages = (version: string): HostState => ({
      ...NONE,
      package: new Map([[`${name}-lib`, version]]),
      user: new Map(version === '1' ? [] : [['<i>ada</i>', 'uid 1000']]),
    });
    await hostChanges.record(id, packages('1'), clock.now() - 20 * DAY);
    await hostChanges.record(id, packages('2'), clock.now() - HOUR);
  }
});
afterAll(() => fixture.close());

const shown = async (query: string): Promise<string> => (await viewer.get(`/changes?${query}`)).text;

test('shows what changed, and finds it by name, kind, server and day', async () => {
  const all = await viewer.get('/changes');
  expect(all.status).toBe(200);
  for (const each of ['mail-lib', 'shop-lib', '1 → 2', '&lt;i>ada&lt;/i>']) expect(all.text).toContain(each);
  expect(await shown('server=mail&kind=package')).toContain('mail-lib');
  expect(await shown('server=mail&kind=package')).not.toContain('shop-lib');
  expect(await shown('q=SHOP')).toContain('shop-lib');
  expect(await shown('q=SHOP')).not.toContain('mail-lib');
  expect(await shown('until=1999-01-01&from=1998-01-01')).not.toContain('lib');
  expect((await viewer.get('/live/changes?q=mail')).text).toContain('mail-lib');
});

test('leads from a file to its snapshot, for those who may look into it', async () => {
  const { clock, hostChanges } = fixture.scene;
  await hostChanges.recordFiles({
    serverId: 1,
    snapshotId: 77,
    differences: [{ kind: 'file', name: '/etc/a&b', before: null, after: 'file, 1 byte' }],
    since: clock.now() - DAY,
    at: clock.now() - HOUR,
  });
  const link = 'href="/snapshots/77/compare?file=etc%2Fa%26b"';
  expect(await shown('kind=file')).toContain('/etc/a&amp;b');
  expect(await shown('kind=file')).not.toContain(link);
  const operator = await fixture.signedIn('operator');
  expect((await operator.get('/changes?kind=file')).text).toContain(link);
});

test('keeps what was typed and marks what is wrong', async () => {
  const { status, text } = await viewer.get('/changes?server=nobody&from=yesterday');
  expect(status).toBe(422);
  expect(text.match(/aria-invalid/g)).toHaveLength(2);
});

test('is where the page of a server leads to', async () => {
  expect((await viewer.get('/servers/1')).text).toContain('href="/changes?server=1"');
});
