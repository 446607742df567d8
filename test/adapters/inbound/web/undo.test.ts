import { afterEach, expect, test } from 'vitest';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

async function open() {
  fixture = await openWebFixture();
  const server = await fixture.scene.addServer('web', { backup: true, os_patch: true }, 'ssh');
  await fixture.scene.addSource(server.id);
  return { scene: fixture.scene, operator: await fixture.signedIn('operator') };
}

/** The form in the toast of the page that comes next; null if it has none. */
async function undoOn(who: Visitor, path: string) {
  const { text } = await who.get(path);
  const toast = text.slice(text.indexOf('class="toast"'));
  const action = /<form method="post" action="([^"]+)">/.exec(
    toast.slice(0, toast.indexOf('</form>') + 1),
  )?.[1];
  if (action === undefined) return null;
  const inputs = toast.slice(0, toast.indexOf('</form>')).matchAll(/name="([^"]+)" value="([^"]*)"/g);
  const fields: Record<string, string[]> = {};
  for (const [, name = '', value = ''] of inputs) (fields[name] ??= []).push(value);
  return { action, fields };
}

const lastAction = async () => {
  const { items } = await fixture.scene.audit.list({}, { limit: 1, offset: 0 });
  return items[0]?.action;
};

test('A feature that was turned off is turned on again by the toast', async () => {
  const { operator, scene } = await open();
  await operator.post('/servers/1/settings/features', { features: 'os_patch' });
  expect((await scene.servers.find(1))?.features).toMatchObject({ backup: false, os_patch: true });
  const undo = await undoOn(operator, '/servers/1/settings');
  expect(undo).toEqual({
    action: '/servers/1/settings/features',
    fields: { features: ['backup', 'os_patch'] },
  });
  await operator.post(undo?.action ?? '', undo?.fields ?? {});
  expect((await scene.servers.find(1))?.features).toMatchObject({ backup: true, os_patch: true });
});

test('A mute is removed by the toast, back on the page of alerts', async () => {
  const { operator, scene } = await open();
  await operator.post('/notifications/mute', { kind: 'backup.stale', server_id: '1', for: '8h' });
  const undo = await undoOn(operator, '/notifications');
  expect(undo?.action).toBe('/settings/alerts/mutes/1/remove');
  const undone = await operator.post(undo?.action ?? '', undo?.fields ?? {});
  expect([undone.status, undone.location]).toEqual([303, '/notifications']);
  expect(await scene.notifications.mutes(scene.clock.now())).toEqual([]);
  expect(await lastAction()).toBe('alert.unmute');
  expect(await undoOn(operator, '/notifications')).toBeNull();
});

test('A schedule that was disabled in the list is enabled there', async () => {
  const { operator, scene } = await open();
  const nightly = { type: 'backup', name: 'nightly', cron: '30 2 * * *', time_zone: 'UTC', selector: 'all' };
  const bounds = { max_parallel: '10', canary: '0', stop_after_failures: '', jitter: '0' };
  await operator.post('/schedules/new', { ...nightly, ...bounds });
  await operator.post('/schedules/1/disable', { back: '/schedules' });
  expect((await scene.schedules.find(1))?.enabled).toBe(false);
  const undo = await undoOn(operator, '/schedules');
  expect(undo).toEqual({ action: '/schedules/1/enable', fields: { back: ['/schedules'] } });
  expect((await operator.post(undo?.action ?? '', undo?.fields ?? {})).location).toBe('/schedules');
  expect((await scene.schedules.find(1))?.enabled).toBe(true);
});
