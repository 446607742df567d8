import { afterAll, beforeAll, expect, it } from 'vitest';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { CLIENT_KINDS } from '../support/mcp-clients.ts';
import { useService } from '../support/service.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';

describeWith('chromium', 'a person in front of the pages', () => {
  const service = useService();
  let person: Person;
  beforeAll(async () => {
    person = await Person.sitDown(service().url);
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
    await person.press('Make the account');
    expect(await person.page.getByText('among the first that would be guessed').count()).toBe(1);
    expect(await person.page.getByLabel('Your name').inputValue()).toBe('ann');
    await person.look('welcome-refused');
    await person.type('Password', PASSWORD);
    await person.press('Make the account');
    await person.look('sign-in');
    await person.type('Name', 'ann');
    await person.type('Password', PASSWORD);
    await person.press('Sign in');
    expect(await person.page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
    expect(await person.page.textContent('#overview')).toContain('has no fresh backup');
    await person.look('overview');
  });

  it('makes a token for an agent, which works, and whose secret is out of the address', async () => {
    await person.press('Settings');
    await person.look('settings');
    await person.press('API management');
    await person.look('tokens-empty');
    await person.press('Create new token: MCP agent');
    await person.look('token-new');
    await person.type('Name', 'mcp-laptop');
    await person.press('Create the token');
    expect(new URL(person.page.url()).search).toBe('');
    const secret = (await person.page.textContent('#secret')) ?? '';
    expect(secret).toMatch(/^drv_/);
    await person.look('token-made');
    for (const kind of CLIENT_KINDS) {
      const client = await kind.connect({ url: service().url, token: secret });
      expect((await client.listTools()).tools).toHaveLength(8);
      await client.close();
    }
    await person.page.reload();
    expect(await person.page.content()).not.toContain(secret);
    expect(service().process.stderr).not.toContain(secret);
  });

  it('follows a backup from the overview to its end', async () => {
    expect((await service().cli(['job', 'start', '1', 'backup', '--follow'])).code).toBe(0);
    await person.press('Overview');
    await person.look('overview-with-job');
    await person.press('1 backup');
    expect(await person.page.getByText('success').count()).toBeGreaterThan(0);
    await person.look('job');
    await person.press('Jobs');
    await person.look('jobs');
    await person.press('Servers');
    await person.look('servers');
    await person.page
      .getByRole('link')
      .filter({ hasText: /^[\w.-]+$/ })
      .last()
      .click();
    await person.page.goto(`${service().url}/servers/1`);
    await person.look('server');
  });

  it('looks after the account, and signs out', async () => {
    for (const [path, name] of [
      ['/settings/users', 'people'],
      ['/account', 'account'],
      ['/account/totp', 'totp'],
      ['/nowhere', 'nowhere'],
    ] as const) {
      await person.page.goto(`${service().url}${path}`);
      if (name !== 'nowhere') await person.look(name);
    }
    await person.page.goto(service().url);
    await person.page.context().setOffline(true);
    await person.page.goto(`${service().url}/jobs`);
    await person.look('offline');
    await person.page.context().setOffline(false);
    await person.page.reload();
    expect(await person.page.getByRole('heading', { level: 1 }).textContent()).toBe('Jobs');
    await person.press('Sign out');
    expect(new URL(person.page.url()).pathname).toBe('/sign-in');
  });
});
