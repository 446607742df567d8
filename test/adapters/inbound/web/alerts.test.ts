import { afterEach, describe, expect, test } from 'vitest';
import type { NotificationKind } from '../../../../src/domain/events/notification.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { answers, Receiver } from '../../../support/receiver.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let receiver: Receiver | null = null;
afterEach(async () => {
  await receiver?.close();
  receiver = null;
  await fixture.close();
});

const ALERTS = '/settings/alerts';
const NEW = `${ALERTS}/new-webhook`;

/** A working receiver, and a webhook named chat that goes to it, created in the web UI. */
async function chat(browser: Visitor, over: Record<string, string | readonly string[]> = {}) {
  receiver = new Receiver('');
  const url = `http://127.0.0.1:${await receiver.listen()}/secret-path`;
  const { text, status } = await browser.post(NEW, {
    name: 'chat',
    url,
    which: 'all',
    min_severity: 'info',
    ...over,
  });
  expect(status).toBe(200);
  receiver.secret = /whsec_[A-Za-z0-9+/]+={0,2}/.exec(text)?.[0] ?? '';
  return { receiver, text };
}

/** Receivers accept no signature that is older than some minutes. */
const administrator = async (): Promise<Visitor> => {
  fixture = await openWebFixture({ clock: new FakeClock(Date.now()) });
  return fixture.signedIn('administrator');
};

describe('A webhook', () => {
  test('is made with a secret that is shown once, and a test arrives, signed by it', async () => {
    const browser = await administrator();
    const { receiver: there, text } = await chat(browser);
    expect(text).toContain(there.secret);
    const page = await browser.get(`${ALERTS}/webhooks/chat`);
    expect(page.text).not.toContain('whsec_');
    expect(page.text).not.toContain('secret-path');
    const ping = await browser.post(`${ALERTS}/webhooks/chat/ping`);
    expect(ping.location).toBe(`${ALERTS}/deliveries/1`);
    expect(there.received).toMatchObject([{ verified: true }]);
    const delivery = await browser.get(ping.location ?? '');
    expect(delivery.text).toContain('delivered');
    expect(delivery.text).toMatch(/204 after \d+ ms/);
    expect(delivery.text).toContain('&quot;type&quot;: &quot;ping&quot;');
    expect((await browser.get(`${ALERTS}/webhooks/chat`)).text).toContain(
      'href="/settings/alerts/deliveries/1"',
    );
  });

  test('shows its ten newest deliveries, and the others page by page', async () => {
    const browser = await administrator();
    await chat(browser);
    for (let sent = 0; sent < 12; sent += 1) await browser.post(`${ALERTS}/webhooks/chat/ping`);
    const shown = async (query: string): Promise<readonly string[]> => {
      const { text } = await browser.get(`${ALERTS}/webhooks/chat${query}`);
      return [...text.matchAll(/\/deliveries\/(\d+)"/g)].map(([, id = '']) => id);
    };
    expect(await shown('')).toEqual(['12', '11', '10', '9', '8', '7', '6', '5', '4', '3']);
    expect(await shown('?offset=10')).toEqual(['2', '1']);
  });

  test('whose receiver fails shows why, and is sent the same again', async () => {
    const browser = await administrator();
    const { receiver: there } = await chat(browser);
    there.behave.push(answers(500, {}, 'our own words'));
    const { location } = await browser.post(`${ALERTS}/webhooks/chat/ping`);
    const failed = await browser.get(location ?? '');
    expect(failed.text).toContain('failed 1 time, retrying');
    expect(failed.text).toContain('Next attempt');
    expect(failed.text).not.toContain('our own words');
    await browser.post(`${location}/resend`);
    expect(there.ids[0]).toBe(there.ids[1]);
    const page = await browser.get(`${ALERTS}/webhooks/chat`);
    expect(page.text).toContain('delivered');
    expect((await browser.get(`${ALERTS}/webhooks/chat?status=dead`)).text).toContain('Nothing sent yet');
    expect((await browser.post(`${ALERTS}/deliveries/9/resend`)).status).toBe(404);
  });

  test('that is gone is marked as dead', async () => {
    const browser = await administrator();
    const { receiver: there } = await chat(browser);
    there.behave.push(answers(410));
    const { location } = await browser.post(`${ALERTS}/webhooks/chat/ping`);
    expect((await browser.get(location ?? '')).text).toContain('failed');
    expect((await browser.get(ALERTS)).text).toContain('answered 410 Gone');
  });

  test('is edited, switched off and on, given a new secret, and removed by its name', async () => {
    const browser = await administrator();
    const { receiver: there } = await chat(browser);
    const path = `${ALERTS}/webhooks/chat`;
    const form = { name: 'chat', which: 'some', events: ['job.failed'], min_severity: 'warning' };
    expect((await browser.post(`${path}/edit`, form)).location).toBe(path);
    expect((await browser.get(path)).text).toContain('Job failed; warning or critical');
    const edit = await browser.get(`${path}/edit`);
    expect(edit.text.match(/checked/g)).toHaveLength(3);
    await browser.post(`${path}/disable`);
    expect((await browser.get(path)).text).toContain('Enable');
    await browser.post(`${path}/enable`);
    const { text } = await browser.post(`${path}/rotate`, { overlap: '24' });
    const next = /whsec_[A-Za-z0-9+/]+={0,2}/.exec(text)?.[0] ?? '';
    expect(next).not.toBe(there.secret);
    await browser.post(`${path}/ping`);
    there.secret = next;
    await browser.post(`${path}/ping`);
    expect(there.received.map(({ verified }) => verified)).toEqual([true, true]);
    expect((await browser.get(path)).text).toContain('The previous secret is valid until');
    expect((await browser.post(`${path}/rotate`, { overlap: '7' })).status).toBe(422);
    const unsure = await browser.post(`${path}/remove`, { confirm: 'chap' });
    expect([unsure.status, unsure.text.includes('value="chap"')]).toEqual([422, true]);
    expect((await browser.post(`${path}/remove`, { confirm: 'chat' })).location).toBe(ALERTS);
    expect((await browser.get(path)).status).toBe(404);
  });

  test.each([
    [{ url: 'nonsense' }, 'Enter a URL that starts with https://'],
    [{ url: 'https://user:x@example.org/' }, 'must not contain a user name'],
    [{ url: '' }, 'Enter a URL that starts with https://'],
    [{ name: 'environment' }, 'is the webhook of the variable'],
    [{ name: '' }, 'fault'],
    [{ which: 'some' }, 'Name at least one event'],
    [{ min_severity: 'dire' }, 'A severity is one of'],
    [{ secret: 'short' }, 'A webhook secret is'],
  ])('that is invalid keeps what was typed: %j', async (over, said) => {
    const browser = await administrator();
    const typed = { name: 'kept', url: 'https://hooks.example.org/in', which: 'all', min_severity: 'info' };
    const answer = await browser.post(NEW, { ...typed, ...over });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(said);
    if (!('url' in over)) expect(answer.text).toContain('value="https://hooks.example.org/in"');
    else expect(answer.text).toContain('value="kept"');
    expect(answer.text).not.toContain('value="short"');
  });

  test('has its address checked while it is typed', async () => {
    const browser = await administrator();
    const check = async (url: string) => (await browser.post(`${ALERTS}/check-url`, { url })).text;
    expect(await check('https://hooks.example.org/T0/secret')).toContain('Sends to hooks.example.org.');
    expect(await check('https://hooks.example.org/T0/secret')).not.toContain('T0');
    expect(await check('ftp://example.org')).toContain('start with https://');
    expect(await check('https://169.254.169.254/')).toContain('169.254.169.254');
    expect(await check('')).not.toContain('class');
  });

  test('of the environment is shown with what it depends on', async () => {
    const browser = await administrator();
    await fixture.messaging.webhooks.add(
      {
        name: 'environment',
        origin: 'environment',
        shownUrl: 'https://hooks.example.org/…',
        filter: { events: null, minSeverity: 'info', tags: null },
        enabled: true,
        createdBy: 'environment',
        createdAt: 1,
      },
      () => ({ sealedUrl: '', sealedSecret: '' }),
      () => ({}),
    );
    expect((await browser.get(ALERTS)).text).toContain('data-fallback');
    const page = await browser.get(`${ALERTS}/webhooks/environment`);
    expect(page.text).toContain('environment variable WEBHOOK_URL');
    expect(page.text).not.toContain('Remove webhook');
    const refused = await browser.post(`${ALERTS}/webhooks/environment/disable`);
    expect([refused.status, refused.text.includes('change the variables instead')]).toEqual([422, true]);
    await chat(browser);
    const { text } = await browser.get(ALERTS);
    expect(text).not.toContain('data-fallback');
    expect(text).toContain('inactive while other webhooks exist');
  });
});

describe('Notifications', () => {
  const wrong = (kind: NotificationKind, over: object = {}) => {
    const { kept, clock } = fixture.scene;
    kept.add('notifications', {
      kind,
      subject_id: kept.count('notifications') + 1,
      variant: '',
      state: 'open',
      severity: 'critical',
      muted: 0,
      title: `${kind} is so`,
      message: 'See to it.',
      began_at: clock.now(),
      opened_at: clock.now(),
      ...over,
    });
  };

  test('are listed, found by state, kind and severity, acknowledged and muted', async () => {
    fixture = await openWebFixture();
    const { id } = await fixture.scene.addServer('web-1');
    wrong('backup.stale', { server_id: id, server_name: 'web-1' });
    wrong('updates.available', { severity: 'info' });
    wrong('job.failed', { state: 'resolved', resolved_at: 1 });
    const viewer = await fixture.signedIn('viewer');
    const all = await viewer.get('/notifications');
    expect(all.text).toContain('updates.available is so. See to it.');
    // Its message names the server, so the title is left out.
    expect(all.text).toContain('>See to it.');
    expect(all.text).not.toContain('job.failed is so');
    expect(all.text).not.toContain('Acknowledge:');
    expect(all.text).toContain('href="/servers/1"');
    expect((await viewer.get('/notifications?state=resolved')).text).toContain('job.failed is so');
    expect((await viewer.get('/notifications?min_severity=critical')).text).not.toContain(
      'updates.available is',
    );
    expect((await viewer.get('/notifications?kind=token.expiring')).text).toContain('No alert matches');
    const operator = await fixture.signedIn('operator');
    expect((await operator.post('/notifications/1/acknowledge')).location).toBe('/notifications');
    expect((await viewer.get('/notifications?state=acknowledged&kind=backup.stale')).text).toContain(
      'acknowledged by operator',
    );
    expect((await operator.post('/notifications/3/acknowledge')).status).toBe(404);
    const mute = { kind: 'backup.stale', server_id: String(id), for: '8h' };
    expect((await operator.post('/notifications/mute', { ...mute, for: '9h' })).status).toBe(422);
    expect((await operator.post('/notifications/mute', mute)).location).toBe('/notifications');
    const policy = await operator.get(`${ALERTS}/policy`);
    expect(policy.text).toContain(`<a href="/servers/${id}">web-1</a>`);
    expect(policy.text).toContain('Unmute: Backup overdue');
    expect((await viewer.get(`${ALERTS}/policy`)).text).not.toContain('Unmute: Backup overdue');
    await operator.post(`${ALERTS}/mutes/1/remove`);
    expect((await operator.get(`${ALERTS}/policy`)).text).toContain('Nothing is muted');
    await operator.post('/notifications/mute', { kind: 'job.failed', for: 'ever' });
    expect((await operator.get(`${ALERTS}/policy`)).text).toContain('you remove the mute');
  });

  test('say how full a disk is, and which job failed', async () => {
    fixture = await openWebFixture();
    for (const name of ['db-1', 'db-2']) {
      const { id } = await fixture.scene.addServer(name);
      await fixture.scene.servers.learn(id, { diskUsedBytes: 94, diskTotalBytes: 100 });
      wrong('disk.filling', { server_id: id, server_name: name, variant: 'nearly full' });
      wrong('job.failed', { server_id: id, server_name: name, variant: 'os_patch', job_id: 7 });
    }
    const { text } = await (await fixture.signedIn('viewer')).get('/notifications');
    expect(text.match(/>db-\d<\/a> 94 %/g)).toHaveLength(2);
    expect(text).toMatch(/>db-1<\/a> <a href="\/jobs\/7">Update packages<\/a>/);
  });

  test('are grouped by kind, and acknowledged and muted together', async () => {
    fixture = await openWebFixture();
    for (const name of ['web-1', 'web-2', 'web-3']) {
      const { id } = await fixture.scene.addServer(name);
      wrong('backup.stale', { server_id: id, server_name: name });
    }
    wrong('updates.available', { severity: 'info' });
    const operator = await fixture.signedIn('operator');
    const { text } = await operator.get('/notifications');
    expect(text).toMatch(/Backup overdue<\/a> <span class="count">3</);
    expect(text.indexOf('Backup overdue')).toBeLessThan(text.indexOf('Updates available'));
    expect(text).toContain('/batches/new?type=backup&amp;selector=ids&amp;servers=web-1%2C+web-2%2C+web-3');
    // One of a group, with its reason, or all of it; an alert alone has no rows.
    expect(text).toMatch(
      /<summary aria-label="Each alert, 1 more: Backup overdue">.*action="\/notifications\/2\/acknowledge"/s,
    );
    expect(text.match(/<summary aria-label="Each alert/g)).toHaveLength(1);
    // Since when, in words that say what: once, as it is the same of all.
    expect(text.match(/<time[^>]*>overdue for \d+ \w+<\/time>/g)).toHaveLength(1);
    const bulk = (form: Record<string, string>) => operator.post('/notifications/bulk', form);
    expect((await bulk({ action: 'nothing' })).status).toBe(422);
    expect((await bulk({ action: 'mute', ids: '1' })).status).toBe(422);
    expect((await bulk({ action: 'acknowledge', ids: '1' })).location).toBe('/notifications');
    const states = () =>
      fixture.scene.kept
        .rows<{ state: string; muted: number }>('SELECT state, muted FROM notifications ORDER BY id')
        .map(({ state, muted }) => (muted ? 'muted' : state));
    expect(states()).toEqual(['acknowledged', 'open', 'open', 'open']);
    // The sidebar counts the same alerts as the first tab.
    const { text: shown } = await operator.get('/notifications');
    expect(shown).toContain('title="3 open"');
    expect(shown).toMatch(/class="chip"[^>]*>Open <span[^>]*>3</);
    // With those that were acknowledged, a kind has as many as Overview says.
    expect(shown).toMatch(
      /Backup overdue<\/a> <span class="count">2<\/span>\s*<span class="count">1 acknowledged</,
    );
    await bulk({ action: 'acknowledge', all: 'yes', kind: 'backup.stale' });
    // The undo of the toast.
    expect((await operator.get('/notifications')).text).toMatch(/value="reopen".*name="ids" value="3"/s);
    await operator.post('/notifications/bulk', { action: 'reopen', state: 'acknowledged', ids: ['2', '3'] });
    expect(states()).toEqual(['acknowledged', 'open', 'open', 'open']);
    await bulk({ action: 'acknowledge', all: 'yes', kind: 'backup.stale' });
    expect(states()).toEqual(['acknowledged', 'acknowledged', 'acknowledged', 'open']);
    await bulk({ action: 'mute', all: 'yes', kind: 'updates.available', for: '8h' });
    await bulk({ action: 'mute', ids: '1', state: 'acknowledged', for: '1d' });
    expect(states()).toEqual(['muted', 'acknowledged', 'acknowledged', 'muted']);
    expect((await operator.get('/notifications?state=muted')).text).toContain('Updates available');
    expect((await operator.get('/notifications')).text).toContain('No open alerts');
  });

  test('of each kind are sent as administrators decide', async () => {
    const browser = await administrator();
    const path = `${ALERTS}/policy/server.unreachable`;
    const form = { debounce: '3600000', remind: 'never', severity: 'warning' };
    await chat(browser);
    const usual = (await browser.get(path)).text;
    expect(usual).toContain('20 min (default)');
    expect(usual).toContain('critical (default)');
    const row = (text: string) =>
      new RegExp(`policy/server\\.unreachable">.*?</tr>`, 's').exec(text)?.[0] ?? '';
    const before = row((await browser.get(`${ALERTS}/policy`)).text);
    expect(before).toContain('critical (default)');
    expect(before).toContain('/webhooks/chat">chat</a>');
    expect((await browser.post(path, form)).location).toBe(`${ALERTS}/policy`);
    const rules = (await browser.get(`${ALERTS}/policy`)).text;
    expect(rules).toMatch(/policy\/server\.unreachable">Server unreachable<.*?<strong>1 h<\/strong>/s);
    expect(rules).not.toContain('<select');
    expect(row(rules)).toMatch(/<strong><span class="status care">.*?warning<\/span>/s);
    await browser.post(`${ALERTS}/webhooks/chat/edit`, {
      name: 'chat',
      which: 'all',
      min_severity: 'critical',
    });
    expect(row((await browser.get(`${ALERTS}/policy`)).text)).toContain('no channel');
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get(`${ALERTS}/policy`)).text).not.toContain('Sent to');
    expect(await fixture.messaging.manageAlerts.policies()).toContainEqual({
      kind: 'server.unreachable',
      debounceMs: 3_600_000,
      remindMs: null,
      severity: 'warning',
    });
    for (const over of [
      { debounce: '1e9' },
      { debounce: '999999999999' },
      { remind: '1' },
      { severity: 'x' },
    ]) {
      const answer = await browser.post(path, { ...form, ...over });
      expect(answer.status).toBe(422);
    }
    expect((await browser.get(`${ALERTS}/policy/nothing`)).location).toBe(`${ALERTS}/policy`);
  });

  test('redirect users who may not see webhooks to what they may', async () => {
    fixture = await openWebFixture();
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get(ALERTS)).location).toBe(`${ALERTS}/policy`);
    const settings = await viewer.get('/settings');
    expect(settings.text).toContain('href="/settings/alerts/policy"');
    expect(settings.text).not.toContain('href="/settings/tokens"');
  });
});
