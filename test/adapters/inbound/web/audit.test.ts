import { afterAll, beforeAll, expect, test } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { auditEntry } from '../../../../src/domain/events/audit-entry.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
  const { audit, clock } = fixture.scene;
  const write = (name: string, action: string, detail: object, outcome = 'done') =>
    audit.record(auditEntry(Actor.system(name), clock.now(), action, 'thing:1', { ...detail }, outcome));
  await write('=HYPERLINK("http://evil")', 'job.request', { serverId: 7, note: 'a,"b"' });
  await write('agent', 'job.request', { serverId: 8 }, 'scope_missing');
  await write('<i>agent</i>', 'server.add', {});
});
afterAll(() => fixture.close());

test('shows who did what, and finds it by who, what, server, outcome and day', async () => {
  const all = await root.get('/audit');
  expect(all.status).toBe(200);
  expect(all.text).toContain('&lt;i>agent&lt;/i>');
  const shown = async (query: string) => (await root.get(`/audit?${query}`)).text;
  expect(await shown('action=job&server=8')).toContain('scope missing');
  expect(await shown('action=job&server=8')).not.toContain('HYPERLINK');
  expect(await shown('outcome=refused&actor=agent')).toContain('scope missing');
  expect(await shown('outcome=refused')).toMatch(/>Outcome<\/th>/);
  expect(await shown('outcome=done')).not.toMatch(/>Outcome<\/th>/);
  expect(await shown('actor=nobody')).toContain('No entry matches.');
  expect(await shown('q=agent+request')).toContain('scope missing');
  expect(await shown('q=agent+request')).not.toContain('Server added');
  expect(await shown('q=agent+nonsense')).toContain('No entry matches.');
  expect(await shown('until=1999-01-01')).toContain('No entry matches.');
  expect(await shown('from=1999-01-01')).toContain('Server added');
  expect((await root.get('/live/audit')).text).toContain('Server added');
});

test('names servers, and finds their entries by name', async () => {
  const { audit, clock } = fixture.scene;
  const { id } = await fixture.scene.addServer('mail');
  const actor = Actor.system('namer');
  const write = (object: string, detail: object) =>
    audit.record(auditEntry(actor, clock.now(), 'thing.edit', object, { ...detail }));
  await write(`server:${id}`, { allowed_server_ids: [id, 404] });
  await write('thing:2', { serverId: id, jobId: 12 });
  await write('thing:3', { serverId: 404 });
  const { text } = await root.get('/audit?actor=namer&server=mail');
  expect(text).toContain(`<a href="/servers/${id}">mail</a>`);
  expect(text).toContain('servers: mail, 404');
  expect(text).toContain('On mail, Job 12');
  expect(text).not.toContain('On server 404');
  expect((await root.get('/audit?actor=namer')).text).toContain('On server 404');
});

test('writes the parameters of a job as details of its request, each once', async () => {
  const { audit, clock } = fixture.scene;
  const params = { osSteps: ['update', 'upgrade'], dryRun: true, outsideWindow: true, service: null };
  const detail = { params, outsideWindow: true };
  await audit.record(
    auditEntry(Actor.system('planner'), clock.now(), 'batch.request', 'batch:9', { ...detail }),
  );
  const { text } = await root.get('/audit?actor=planner');
  expect(text).toContain('Outside the maintenance window, steps: update, upgrade, dry run');
  expect(text.match(/>[^<]*outside the maintenance window/gi)).toHaveLength(1);
  expect(text).not.toContain('params');
});

test('keeps what was typed and marks what is wrong', async () => {
  const { status, text } = await root.get('/audit?server=web&from=yesterday&actor=ann');
  expect(status).toBe(422);
  // Filters are behind their button, unless one of them is wrong.
  expect(text).toMatch(/<details class="more-filters" open>/);
  expect((await root.get('/audit?server=web')).text).toContain('<summary>More filters (1)</summary>');
  expect(text).toContain('value="web"');
  expect(text).toContain('value="ann"');
  expect(text.match(/aria-invalid/g)).toHaveLength(2);
});

test('gives all of it as CSV that no spreadsheet takes for formulas', async () => {
  const { status, headers, text } = await root.get('/audit/export?format=csv&action=job');
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="drover-audit-\S+\.csv"$/);
  const [heading, first, second, ...rest] = text.trimEnd().split('\r\n');
  expect(heading).toBe('id,at,actor_kind,actor_id,actor_name,address,action,object,outcome,detail');
  expect(first).toContain(`"'=HYPERLINK(""http://evil"")"`);
  expect(first).toContain(String.raw`""note"":""a,\""b\""""`);
  expect(second).toContain('"scope_missing"');
  expect(rest).toEqual([]);
});

test('gives it as lines of JSON, and that it was taken is an entry, too', async () => {
  const { text } = await root.get('/audit/export?format=jsonl&server=7');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ actor_name: '=HYPERLINK("http://evil")', detail: { serverId: 7 } }]);
  expect(fixture.scene.kept.audit.at(-1)).toMatchObject({ action: 'audit.export', actorName: 'root' });
  expect((await root.get('/audit/export?from=x')).status).toBe(422);
});

test('writes details as sentences, and says whose password was wrong', async () => {
  const { audit, clock } = fixture.scene;
  const write = (action: string, object: string, detail: object, outcome = 'done') =>
    audit.record(auditEntry(Actor.system('teller'), clock.now(), action, object, { ...detail }, outcome));
  await write('batch.finish', 'batch:3', { status: 'stopped', counts: { success: 5, failed: 1, active: 0 } });
  await write('schedule.edit', 'schedule:3', { cron: { expression: '30 2 * * *', timeZone: 'UTC' } });
  await write('approval.approve', 'approval:3', { requestedBy: 'token:mcp-patcher', change: { keyId: 1 } });
  await write('batch.request', 'batch:4', { selector: { by: 'all' }, jobType: 'os_patch', dryRun: false });
  await write('session.refuse_confirmation', 'user:1', {}, 'sign_in_failed');
  await write('notification.mute', 'mute:1', { kind: 'updates.available', until: clock.now() });
  await write('job.finish', 'job:3', { status: 'success', serverId: 77 });
  const { text } = await root.get('/audit?actor=teller');
  for (const words of [
    'Stopped, 5 succeeded, 1 failed<',
    'Every day at 02:30 (UTC)<',
    'Requested by token mcp-patcher, Key 1<',
    'Update packages on all servers<',
    'Mute: Updates available<',
    '>Until <time',
    'Succeeded on server 77<',
    'Wrong password for root<',
  ])
    expect(text).toContain(words);
  // Only what was refused is marked.
  expect(text.match(/class="status \w+"/g)).toEqual(['class="status bad"']);
  expect(text).toContain('<option value="root"');
  expect(text).toContain('<option value="session"');
});
