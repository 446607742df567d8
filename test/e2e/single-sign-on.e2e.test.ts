import { afterAll, beforeAll, expect, it } from 'vitest';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { type RealProvider, realProvider } from '../support/real-provider.ts';
import { Service } from '../support/service.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';
const USERS = { ann: { preferred_username: 'ann', groups: ['staff', 'ops'] }, bob: { groups: ['guests'] } };

describeWith(['chromium'], 'a user of a sign-in provider, in a browser', () => {
  let service: Service;
  let provider: RealProvider;
  let person: Person;
  beforeAll(async () => {
    service = await Service.prepare();
    provider = await realProvider({
      users: USERS,
      redirectUris: [`${service.url}/sign-in/sso/env/callback`],
      claimsInToken: false,
    });
    Object.assign(service.settings, {
      SERVICE_PUBLIC_URL: service.url,
      SERVICE_OIDC_ISSUER: provider.issuer,
      SERVICE_OIDC_CLIENT_ID: provider.clientId,
      SERVICE_OIDC_CLIENT_SECRET: provider.clientSecret,
      SERVICE_OIDC_LABEL: 'Test provider',
      SERVICE_OIDC_SCOPES: 'openid profile groups',
      SERVICE_OIDC_ROLES: 'ops=administrator,staff=viewer',
      SERVICE_OIDC_ALLOW_PRIVATE: '1',
    });
    await service.start();
    person = await Person.sitDown(service.url, { provider: provider.issuer });
    const link = /http:\S+\/welcome#\S+/.exec(service.process.stdout)?.[0] ?? '';
    await person.page.goto(link);
    await person.type('Your name', 'root');
    await person.type('Password', PASSWORD);
    await person.press('Create account');
    await person.page.context().clearCookies();
  });
  afterAll(async () => {
    await person.leave();
    await service.remove();
    await provider.close();
  });

  const start = async (user: string): Promise<void> => {
    provider.user = user;
    await person.page.goto(`${service.url}/sign-in?next=/account`);
    await person.page.getByRole('link', { name: 'Sign in with Test provider' }).click();
  };

  it('signs in, goes on where they were, and can also sign out at the provider', async () => {
    const { page } = person;
    await start('ann');
    await page.waitForURL(`${service.url}/account`);
    expect(await page.textContent('main')).toContain('administratorYou are ann.');
    await page.goto(`${service.url}/settings/sign-in`);
    expect(await page.textContent('main')).toContain('Test provider');
    expect(await service.cli(['user', 'list'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ann'),
    });
    const all = await page.context().cookies(service.url);
    const cookies = all.filter(({ name }) => /^drover(-device)?$/.test(name));
    expect(cookies).toHaveLength(2);
    expect(cookies.every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Lax')).toBe(true);
  });

  it('is refused without a role, in words', async () => {
    await person.page.context().clearCookies();
    await start('bob');
    await person.page.locator('[data-reason="no_role"]').waitFor();
    expect(await person.page.textContent('[data-reason]')).toContain('guests');
  });
});
