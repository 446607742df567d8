import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let operator: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  const { id } = await fixture.scene.addServer('web', { backup: true, os_patch: true }, 'ssh');
  await fixture.scene.addSource(id);
  operator = await fixture.signedIn('operator');
});
afterEach(() => fixture.close());

/** The entries of the menu with this id: a link's or form's address, and its words. */
function entriesOf(text: string, id: string): Readonly<Record<string, string>> {
  const menu = new RegExp(`<div id="${id}" class="menu"[^>]*>(.*?)</div>`, 's').exec(text)?.[1] ?? '';
  const entries = [
    ...menu.matchAll(/(?:href|action|data-copy-text)="([^"]*)"[^>]*>(.*?)<\/(?:a|form|button)>/gs),
  ].map(([, at = '', words = '']) => [words.replaceAll(/<[^>]*>/g, '').trim(), at]);
  return Object.fromEntries(entries) as Readonly<Record<string, string>>;
}

/** A backup starts at once, an update with its dry run. */
const start = (type: 'backup' | 'os_patch'): Promise<unknown> =>
  type === 'backup'
    ? operator.post('/servers/1/start', { job_type: type })
    : operator.post('/servers/1/jobs/new', { type, os_steps: 'upgrade' });

/** Runs the job that waits. */
async function finish(status: 'success' | 'failed'): Promise<void> {
  const { queue, clock } = fixture.scene;
  const at = clock.now();
  const [claim] = await queue.claim({ owner: 'w', leaseMs: 60_000, at, limit: 1, record: () => ({}) });
  if (!claim) throw new Error('no job waits');
  const outcome = { status, summary: 'Done.', error: null, result: null, facts: {} };
  await queue.finish(claim, outcome, at, () => ({}));
}

describe('The menu of a job', () => {
  test('offers what can be done with it in its state', async () => {
    await start('backup');
    expect(entriesOf((await operator.get('/jobs')).text, 'job-1')).toEqual({
      Open: '/jobs/1',
      Cancel: '/jobs/1/cancel',
    });
    await finish('failed');
    expect(entriesOf((await operator.get('/jobs')).text, 'job-1')).toEqual({
      Open: '/jobs/1',
      'Open log': '/jobs/1#tab-log',
      Retry: '/jobs/1/again',
    });
    await start('os_patch');
    await finish('success');
    await start('backup');
    await finish('success');
    const { text } = await operator.get('/servers/1/jobs');
    expect(entriesOf(text, 'job-2')).toMatchObject({ 'New dry run…': '/jobs/2/again' });
    expect(entriesOf(text, 'job-3')).toMatchObject({ Repeat: '/jobs/3/again' });
  });

  test('lets viewers only look', async () => {
    await start('backup');
    const { text } = await (await fixture.signedIn('viewer')).get('/jobs');
    expect(entriesOf(text, 'job-1')).toEqual({ Open: '/jobs/1' });
  });
});

test('The menu of a server leads to its backups once there is one, and has its address to copy', async () => {
  const before = entriesOf((await operator.get('/servers')).text, 'more-1');
  expect(before).not.toHaveProperty('Restore…');
  expect(before['Copy address']).toBe((await fixture.scene.servers.find(1))?.address.hostname);
  await fixture.scene.servers.learn(1, { lastBackupAt: 1 });
  const after = (await operator.get('/servers')).text;
  expect(entriesOf(after, 'more-1')['Restore…']).toBe('/servers/1/backups');
  // Copying needs a script, which then shows the button.
  expect(after).toMatch(/<button type="button" data-copy-text="[^"]+" hidden>/);
});

test('The menu of a schedule runs, edits and deletes it, for those who may', async () => {
  const fields = { type: 'backup', cron: '30 2 * * *', time_zone: 'UTC', selector: 'ids', servers: 'web' };
  const bounds = { max_parallel: '10', canary: '0', stop_after_failures: '', jitter: '0', tags: '' };
  await operator.post('/schedules/new', { ...fields, ...bounds, name: 'nightly' });
  expect(entriesOf((await operator.get('/schedules')).text, 'schedule-1')).toEqual({
    'Run now': '/schedules/1/run',
    'Edit…': '/schedules/1/edit',
    'Delete…': '/schedules/1#delete',
  });
  expect((await operator.get('/schedules/1')).text).toContain('<form id="delete"');
  const viewer = await fixture.signedIn('viewer');
  expect((await viewer.get('/schedules')).text).not.toContain('id="schedule-1"');
});
