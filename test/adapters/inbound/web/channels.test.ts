import { afterEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { answers, Receiver } from '../../../support/receiver.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let receiver: Receiver;
afterEach(async () => {
  await receiver.close();
  await fixture.close();
});

const ALERTS = '/settings/alerts';
const NEW = `${ALERTS}/new-channel`;
const TOKEN = 'tk_s3cret';

const accepted = answers(200, {}, '{"id":"hwQ2YpKdmg"}');

/** A working ntfy server, and a channel named phone that goes to it, created in the web UI. */
async function phone(over: Record<string, string | readonly string[]> = {}): Promise<Visitor> {
  fixture = await openWebFixture({ clock: new FakeClock(Date.now()) });
  receiver = new Receiver('');
  const server = `http://127.0.0.1:${await receiver.listen()}`;
  const browser = await fixture.signedIn('administrator');
  const form = { name: 'phone', server, topic: 't0pic', token: TOKEN, which: 'all', min_severity: 'warning' };
  const added = await browser.post(`${NEW}/ntfy`, { ...form, allow_private: 'on', ...over });
  expect(added.location).toBe(`${ALERTS}/channels/phone`);
  return browser;
}

describe('A channel', () => {
  test('is chosen by its kind, added by a form of its fields, and listed with webhooks', async () => {
    const browser = await phone();
    const choice = await browser.get(NEW);
    for (const kind of ['ntfy', 'telegram', 'slack', 'discord', 'gotify'])
      expect(choice.text).toContain(`href="${NEW}/${kind}"`);
    expect(choice.text).toContain('href="/settings/alerts/new-webhook"');
    expect((await browser.get(`${NEW}/telegram`)).text).toMatch(/type="password"[^>]*name="token"/);
    expect((await browser.get(`${NEW}/pigeon`)).status).toBe(404);
    const webhook = { name: 'chat', url: 'https://hooks.example.org/x', which: 'all', min_severity: 'info' };
    await browser.post(`${ALERTS}/new-webhook`, webhook);
    const list = await browser.get(ALERTS);
    expect(list.text).toContain(`href="${ALERTS}/channels/phone"`);
    expect(list.text).toContain(`href="${ALERTS}/webhooks/chat"`);
  });

  test('shows its secrets never again, and keeps those that are left empty', async () => {
    const browser = await phone({ tags: 'web, mail' });
    const path = `${ALERTS}/channels/phone`;
    for (const address of [path, `${path}/edit`, ALERTS]) {
      const { text } = await browser.get(address);
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain('t0pic');
    }
    expect((await browser.get(path)).text).toContain('servers tagged web, mail');
    const [server = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec((await browser.get(`${path}/edit`)).text) ?? [];
    const form = { name: 'phone', server, topic: '', token: '', which: 'all', min_severity: 'info' };
    expect((await browser.post(`${path}/edit`, { ...form, allow_private: 'on' })).location).toBe(path);
    receiver.behave.push(accepted);
    await browser.post(`${path}/test`);
    expect(receiver.received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ topic: 't0pic', title: 'A test' });
    const moved = await browser.post(`${path}/edit`, { ...form, server: 'https://ntfy.example.com' });
    expect([moved.status, moved.text.includes('Enter it again')]).toEqual([422, true]);
  });

  test('is tested, and the page says what went wrong', async () => {
    const browser = await phone();
    const path = `${ALERTS}/channels/phone`;
    receiver.behave.push(accepted);
    expect((await browser.get(ALERTS)).text).toContain('nothing sent yet');
    expect((await browser.post(`${path}/test`)).text).toContain('ntfy accepted the test');
    const row = /<tr[^>]*>(?:(?!<\/tr>).)*channels\/phone">phone<.*?<\/tr>/s.exec(
      (await browser.get(ALERTS)).text,
    )?.[0];
    expect(row).toContain('delivered');
    expect(row).toContain(`action="${path}/test"`);
    expect(row).toContain(`href="${path}/edit"`);
    receiver.behave.push(answers(403, {}, '{"error":"words of the server"}'));
    const failed = await browser.post(`${path}/test`);
    expect(failed.text).toContain('It answered 403. This topic needs an access token that may write to it.');
    expect(failed.text).not.toContain('words of the server');
    const delivery = await browser.get(`${ALERTS}/deliveries/2`);
    expect(delivery.text).toContain(`href="${path}"`);
    receiver.behave.push(accepted);
    await browser.post(`${ALERTS}/deliveries/2/resend`);
    expect((await browser.get(`${ALERTS}/deliveries/2`)).text).toContain('delivered');
  });

  test('of the kind heartbeat has no events to select, and is called for a test', async () => {
    const browser = await phone();
    expect((await browser.get(`${NEW}/ntfy`)).text).toContain('name="min_severity"');
    expect((await browser.get(`${NEW}/heartbeat`)).text).not.toContain('name="min_severity"');
    const [server = ''] =
      /http:\/\/127\.0\.0\.1:\d+/.exec((await browser.get(`${ALERTS}/channels/phone/edit`)).text) ?? [];
    const form = { name: 'pulse', url: `${server}/ping/s3cret`, minutes: '61', allow_private: 'on' };
    expect((await browser.post(`${NEW}/heartbeat`, form)).status).toBe(422);
    const path = `${ALERTS}/channels/pulse`;
    expect((await browser.post(`${NEW}/heartbeat`, { ...form, minutes: '' })).location).toBe(path);
    expect((await browser.get(path)).text).not.toContain('s3cret');
    const tested = await browser.post(`${path}/test`);
    expect(tested.text).toContain('class="notice good"');
    expect(receiver.received.map(({ method, path: called }) => `${method} ${called}`)).toEqual([
      'GET /ping/s3cret',
    ]);
  });

  test('has quiet hours, a digest and a weekly report, which its page previews', async () => {
    const timing = {
      quiet_from: '22:00',
      quiet_until: '07:00',
      digest: 'day',
      digest_at: '08:30',
      report_day: 'friday',
      report_at: '09:15',
      time_zone: 'Europe/Berlin',
    };
    const browser = await phone(timing);
    const path = `${ALERTS}/channels/phone`;
    const shown = (await browser.get(path)).text;
    expect(shown).toContain('one a day at 08:30, none from 22:00 to 07:00 (Europe/Berlin)');
    expect(shown).not.toContain('critical events immediately');
    expect(shown).toContain('every Friday at 09:15 (Europe/Berlin)');
    expect(shown).toContain(`href="${path}/report"`);
    const preview = await browser.get(`${path}/report`);
    expect(preview.text).toContain('Weekly report: 0 servers, no alerts');
    const edit = (await browser.get(`${path}/edit`)).text;
    for (const value of ['22:00', '07:00', '08:30', '09:15', 'Europe/Berlin'])
      expect(edit).toContain(`value="${value}"`);
    const [server = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(edit) ?? [];
    const form = {
      name: 'phone',
      server,
      topic: '',
      token: '',
      which: 'all',
      allow_private: 'on',
      ...timing,
    };
    const refused = await browser.post(`${path}/edit`, { ...form, quiet_until: '', time_zone: 'Mars/Base' });
    expect([refused.status, refused.text.includes('id="quiet_until-fault"')]).toEqual([422, true]);
    const none = {
      quiet_from: '',
      quiet_until: '',
      digest: 'none',
      report_day: 'none',
      critical_at_once: 'on',
    };
    expect((await browser.post(`${path}/edit`, { ...form, ...none })).location).toBe(path);
    expect((await browser.get(path)).text).toContain('<dd>immediately</dd>');
  });

  test('is switched off and on, and removed by its name', async () => {
    const browser = await phone();
    const path = `${ALERTS}/channels/phone`;
    await browser.post(`${path}/disable`);
    expect((await browser.get(path)).text).toContain(`action="${path}/enable"`);
    await fixture.messaging.tell({ type: 'backup.stale', severity: 'critical' });
    await fixture.messaging.look();
    expect(receiver.received).toEqual([]);
    await browser.post(`${path}/enable`);
    expect((await browser.post(`${path}/remove`, { confirm: 'phome' })).status).toBe(422);
    expect((await browser.post(`${path}/remove`, { confirm: 'phone' })).location).toBe(ALERTS);
    expect((await browser.get(path)).status).toBe(404);
  });

  test('gets the events that its filter selects, by severity, event and tag of the server', async () => {
    await phone({ which: 'some', events: ['backup.stale', 'job.failed'], tags: ['production'] });
    receiver.always = accepted;
    const { messaging } = fixture;
    const critical = { type: 'backup.stale', severity: 'critical' } as const;
    await messaging.tell(critical);
    await messaging.tell({ ...critical, tags: ['production'] });
    await messaging.tell({ ...critical, severity: 'info', tags: ['production'] });
    await messaging.tell({ ...critical, type: 'disk.filling', tags: ['production'] });
    await messaging.look();
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { title: string }).title)).toEqual([
      'event 2',
    ]);
  });

  test('lists held messages with the end of the quiet hours', async () => {
    const hour = new Date().getUTCHours();
    const clock = (shift: number): string => `${String((hour + shift) % 24).padStart(2, '0')}:00`;
    const browser = await phone({ quiet_from: clock(0), quiet_until: clock(2), time_zone: 'UTC' });
    await fixture.messaging.tell({ type: 'backup.stale', severity: 'critical' });
    await fixture.messaging.look();
    expect(receiver.received).toEqual([]);
    expect((await browser.get(`${ALERTS}/channels/phone`)).text).toContain('held until <time');
    expect((await browser.get(`${ALERTS}/deliveries/1`)).text).toContain('held until <time');
  });

  test('is tried again until the service takes the message', async () => {
    await phone();
    receiver.behave.push(answers(503), accepted);
    await fixture.messaging.tell({ type: 'backup.stale', severity: 'critical' });
    await fixture.messaging.look();
    await fixture.scene.clock.advance(60_000);
    await fixture.messaging.look();
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]?.body).toBe(receiver.received[1]?.body);
  });
});
