import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { Effort } from '../support/effort.ts';
import { CLIENT_KINDS } from '../support/mcp-clients.ts';
import { eventually } from '../support/processes.ts';
import { Browser, PushService } from '../support/push-service.ts';
import { Receiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { lookAtAll, placesIn } from './places.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';

describeWith('chromium', 'a person in front of the pages', () => {
  // So that webhooks and messages reach the test's receivers.
  const service = useService(() => ({ settings: { SERVICE_WEBHOOK_ALLOW_PRIVATE: '1' } }));
  let person: Person;
  beforeAll(async () => {
    person = await Person.sitDown(service().url, { notified: true });
  });
  afterAll(() => person.leave());

  it('makes the first account by the link that the service printed', async () => {
    const link = /http:\S+\/welcome#\S+/.exec(service().process.stdout)?.[0] ?? '';
    await person.page.goto(link);
    await person.page.waitForURL(/\/welcome$/);
    await person.page.getByLabel('Your name').waitFor();
    await person.look('welcome');
    await person.type('Your name', 'ann');
    await person.type('Password', 'password1234');
    await person.press('Create account');
    // Beside the field, and in the summary.
    expect(await person.page.getByText('easy to guess').count()).toBe(2);
    expect(await person.page.getByLabel('Your name').inputValue()).toBe('ann');
    await person.look('welcome-refused');
    await person.type('Password', PASSWORD);
    await person.press('Create account');
    expect(await person.page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
    expect(await person.page.textContent('#checklist')).toContain('Run the first backup');
  });

  it('creates a token for an agent, which works, and whose secret is out of the address', async () => {
    const effort = new Effort(person);
    await effort.press('Settings');
    await effort.press('API management');
    await person.look('tokens-empty');
    await effort.press('Create new token');
    await effort.type('Name', 'mcp-laptop');
    await effort.press('Create token');
    expect(effort).toMatchObject({ clicks: 4, fields: 1 });
    const secret = (await person.page.textContent('#secret')) ?? '';
    await expect.poll(() => new URL(person.page.url()).search).toBe('');
    expect(secret).toMatch(/^drv_/);
    await person.look('token-made');
    for (const kind of CLIENT_KINDS) {
      const client = await kind.connect({ url: service().url, token: secret });
      expect((await client.listTools()).tools).toHaveLength(8);
      await client.close();
    }
    await person.page.locator('#first-call').getByText('Connected').waitFor();
    await person.press('Test this token');
    expect(await person.page.getByText('This token is accepted from 127.0.0.1.').count()).toBe(1);
    await person.look('token-tested');
    await person.page.goBack();
    await person.page.reload();
    expect(await person.page.content()).not.toContain(secret);
    expect(service().process.stderr).not.toContain(secret);
    await person.press('mcp-laptop');
    await person.press('Edit');
    await person.type('Addresses', '192.0.2.0/24');
    await person.page.getByText('is not included').waitFor();
    await person.press('Save');
    const [kind] = CLIENT_KINDS;
    await expect(kind?.connect({ url: service().url, token: secret })).rejects.toThrow();
  });

  it('adds a webhook, tries it, and sees what was sent', async () => {
    const receiver = new Receiver('');
    try {
      await person.page.goto(`${service().url}/settings/alerts`);
      await person.look('webhooks-empty');
      await person.press('Add channel');
      await person.page.getByRole('link', { name: /^Webhook/ }).click();
      await person.page.waitForURL(/new-webhook$/);
      await person.type('Name', 'chat');
      await person.type('Address', 'ftp://example.org');
      await person.page.getByText('start with https://').first().waitFor();
      await person.look('webhook-new');
      await person.type('Address', `http://127.0.0.1:${await receiver.listen()}/hook`);
      await person.press('Add webhook');
      receiver.secret = (await person.page.textContent('#secret')) ?? '';
      await person.look('webhook-made');
      await person.press('Send a test');
      expect(receiver.received).toMatchObject([{ verified: true }]);
      await person.press('chat');
      expect(await person.page.getByText('delivered').count()).toBeGreaterThan(0);
    } finally {
      await receiver.close();
    }
  });

  it('is notified by the browser, through a push service', async () => {
    const pushes = new PushService();
    const device = new Browser();
    try {
      const { page } = person;
      const keys = device.keys(`${await pushes.listen()}device`);
      await person.standInForPushService(keys);
      await page.goto(`${service().url}/settings/alerts/browser`);
      await page.getByText('Notifications are off for this browser.').waitFor();
      await person.look('push');
      await person.press('Enable notifications');
      await page.getByText('Notifications are on for this browser.').waitFor();
      await person.press('Send a test: browser 1');
      expect(await page.getByText('push service accepted it').count()).toBe(1);
      await person.look('push-told');
      const message = device.decrypt(pushes.pushed[0]?.body ?? Buffer.alloc(0));
      expect(await person.receivePush(service().url, message)).toEqual([
        { title: 'A test', to: `${service().url}/` },
      ]);
      await person.press('Disable notifications: browser 1');
      await page.getByText('Notifications are off for this browser.').waitFor();
    } finally {
      await pushes.close();
    }
  });

  it('looks at what a backup would do, has it done, and follows it to its end', async () => {
    await person.page.goto(`${service().url}/servers/1/jobs/new`);
    await person.press('Back up');
    // The first connection of the followed page is cut at once: it reconnects automatically.
    const body = 'retry: 100\n\n';
    const cut = { status: 200, contentType: 'text/event-stream', body };
    await person.page.route('**/events?*', (route) => route.fulfill(cut), { times: 1 });
    await person.press('Preview (dry run)');
    await person.page.getByRole('button', { name: 'Apply this plan' }).waitFor();
    await person.press('Apply this plan');
    await person.page.locator('#job-state').getByText('succeeded').waitFor();
    await person.page.locator('#log-connection').getByText('Finished').waitFor();
    expect(await person.page.locator('#log .line').count()).toBeGreaterThan(0);
    await person.look('job');
    await person.press('Jobs');
    await person.press('Servers');
    await person.page
      .getByRole('link')
      .filter({ hasText: /^[\w.-]+$/ })
      .last()
      .click();
    await person.page.goto(`${service().url}/servers/1`);
  });

  it('has the backup taken every night, and packages changed on Sundays alone', async () => {
    const { page } = person;
    await page.goto(`${service().url}/schedules/new?type=backup`);
    const effort = new Effort(person);
    await effort.type('Name', 'nightly');
    await effort.type('Time', '02:30');
    await effort.type('Time zone', 'Europe/Berlin');
    await page.locator('#times li').nth(4).waitFor();
    await effort.click(page.getByLabel('These servers'));
    await effort.click(page.locator('.if-ids input'));
    await page.locator('#times').getByText('every day at 02:30 (Europe/Berlin)').waitFor();
    await person.look('schedule-new');
    await effort.press('Create schedule');
    expect(effort).toMatchObject({ clicks: 3, fields: 3 });
    await person.press('Run now');
    await page.waitForURL(/\/(?:jobs|batches)\/\d+$/);
    await page.locator('main').getByText('succeeded', { exact: true }).first().waitFor();
    await person.press('Schedules');
    await person.page.goto(`${service().url}/windows/new`);
    await person.type('Name', 'sundays');
    await person.page.getByLabel('Opens').selectOption('custom');
    await person.type('Cron expression', 'whenever');
    await person.page.getByLabel('All servers, including those added later').check();
    await person.press('Create window');
    await person.look('window-refused');
    await person.type('Cron expression', '0 2 * * 0');
    await person.press('Create window');
  });

  it('starts a batch, and keeps a template', async () => {
    await person.page.goto(`${service().url}/batches/new?type=backup`);
    await person.page.getByLabel('All servers').check();
    await person.press('Preview (dry run)');
    await person.page.getByRole('button', { name: 'Start batch' }).waitFor();
    await person.look('batch');
    await person.press('Batches');
    await person.page.goto(`${service().url}/templates/new`);
    await person.press('Save template');
    await person.press('Templates');
  });

  it('approves what an agent asks for, by its dry run, and the agent sees it run', async () => {
    const created = await service().cli([
      'token',
      'create',
      '--name',
      'mcp-careful',
      '--scopes',
      'read,jobs',
      '--require-approval',
      '--json',
    ]);
    const agent = await Agent.connect(service().url, (created.json as { secret: string }).secret);
    const asked = await agent.call('trigger_job', { server_id: 1, job_type: 'retention' });
    expect(asked.body).toMatchObject({
      http_status: 202,
      status: 'awaiting_approval',
      detail: expect.stringContaining('approv'),
    });
    const again = await agent.call('trigger_job', { server_id: 1, job_type: 'retention' });
    expect(again.body).toMatchObject({ http_status: 409, job_id: asked.body['job_id'] });
    // Pages share their counts for some seconds.
    const counted = await eventually(
      'the navigation counts it',
      60_000,
      async () => {
        await person.page.goto(service().url);
        return (await person.page.locator('nav.side .count.care').textContent()) || undefined;
      },
      500,
    );
    expect(counted).toContain('1');
    const effort = new Effort(person);
    await effort.press('Review: approvals');
    await person.page.locator('#plan').getByText('succeeded').waitFor();
    await person.look('approval');
    await person.type('Note', 'fine');
    await effort.press('Approve this plan');
    expect(effort).toMatchObject({ clicks: 2, fields: 0 });
    await person.page.locator('#job-state').waitFor();
    await person.look('approval-decided');
    const end = await eventually('the job ends', 60_000, async () => {
      const { body } = await agent.call('get_job', { job_id: asked.body['job_id'] });
      return body['done'] === true ? body : undefined;
    });
    expect(end).toMatchObject({ status: 'success' });
    await agent.close();
  });

  it("looks at the pages that are a person's own", async () => {
    await lookAtAll(person, service().url, placesIn('person'));
    await person.page.goto(`${service().url}/nowhere`);
  });

  it('turns two-factor authentication on, and gives its code', async () => {
    await person.page.goto(`${service().url}/account/totp`);
    const secret = Secret.fromBase32(
      (await person.page.locator('input[name=secret]').getAttribute('value')) ?? '',
    );
    await person.type('Code', new TOTP({ secret }).generate());
    await person.press('Turn it on');
    expect(await person.page.getByText('once').count()).toBeGreaterThan(0);
    await person.look('recovery-codes');
  });

  it('invites a user by a link that is shown once', async () => {
    await person.page.goto(`${service().url}/settings/users`);
    await person.press('Invite user');
    await person.type('Name', 'bert');
    await person.press('Create link');
    await person.look('invited');
  });

  it('keeps what was typed when the session ends, and a double click sends it once', async () => {
    const { page, context } = person;
    await page.goto(`${service().url}/schedules/new`);
    const cookies = await context.cookies();
    await context.clearCookies();
    await person.type('Name', 'kept');
    await page.getByText('You are signed out. Sign in in another tab.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('kept');
    await person.press('Create schedule');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await context.addCookies(cookies);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent += 1;
    });
    await page.getByRole('button', { name: 'Send again' }).dblclick();
    await page.getByText('Schedule created: kept').waitFor();
    expect(sent).toBe(1);
  });

  it('sees that the service is gone, and that it is back, and signs out', async () => {
    await person.page.goto(service().url);
    await person.context.setOffline(true);
    await person.page.goto(`${service().url}/jobs`);
    await person.look('offline');
    await person.context.setOffline(false);
    await person.page.reload();
    expect(await person.page.getByRole('heading', { level: 1 }).textContent()).toBe('Jobs');
    await person.pressInMenu('Sign out');
    expect(new URL(person.page.url()).pathname).toBe('/sign-in');
  });
});
