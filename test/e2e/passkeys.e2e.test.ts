import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { Service } from '../support/service.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';
const DEVICE = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

describeWith(['chromium'], 'a user with a passkey, in a browser', () => {
  let service: Service;
  let proxy: TcpProxy;
  let person: Person;
  let device: CDPSession;
  let authenticatorId: string;
  /** The public address, and one at which the same service answers: a different site with the same host name. */
  let url: string;
  let other: string;
  beforeAll(async () => {
    service = await Service.prepare();
    const port = Number(new URL(service.url).port);
    url = `http://localhost:${port}`;
    Object.assign(service.settings, { SERVICE_PUBLIC_URL: url });
    await service.start();
    proxy = await TcpProxy.start(port);
    other = `http://localhost:${proxy.port}`;
    person = await Person.sitDown(url, { provider: other });
    await person.signUp(service.process);
    device = await person.page.context().newCDPSession(person.page);
    await device.send('WebAuthn.enable');
    authenticatorId = await plugIn();
  });
  afterAll(async () => {
    await person.leave();
    await proxy.stop();
    await service.remove();
  });

  const plugIn = async (): Promise<string> =>
    (await device.send('WebAuthn.addVirtualAuthenticator', { options: DEVICE })).authenticatorId;
  const forgetSession = () => person.page.context().clearCookies();
  /** Up to the answer of the page that opens. */
  const usePasskey = async (button: string, answered: string): Promise<number> => {
    const { page } = person;
    const [response] = await Promise.all([
      page.waitForResponse((each) => new URL(each.url()).pathname === answered),
      page.getByRole('button', { name: button }).click(),
    ]);
    await page.waitForLoadState('networkidle');
    return response.status();
  };
  const withPassword = async (): Promise<void> => {
    await forgetSession();
    await person.page.goto(`${url}/sign-in?next=/account`);
    await person.type('Name', 'ann');
    await person.type('Password', PASSWORD);
    await person.press('Sign in');
  };
  const signIn = async (at = url): Promise<number> => {
    await forgetSession();
    await person.page.goto(`${at}/sign-in?next=/account`);
    return usePasskey('Sign in with a passkey', '/sign-in/passkey');
  };
  const refusals = async (): Promise<unknown> =>
    (await service.cli(['audit', 'list', '--action', 'session.refuse_passkey', '--json'])).json;

  it('adds one, with recovery codes', async () => {
    const { page } = person;
    await page.goto(`${url}/account`);
    await person.press('Add a passkey');
    await person.type('Name', 'Laptop');
    expect(await usePasskey('Add passkey', '/account/passkeys')).toBe(200);
    expect((await page.textContent('#codes'))?.split('\n')).toHaveLength(10);
    await person.press('I have saved them');
    expect(await page.getByLabel('Name of the passkey Laptop').inputValue()).toBe('Laptop');
    await person.look('account-with-passkey');
  });

  it('cannot add a second one on the same device', async () => {
    const { page } = person;
    await page.goto(`${url}/account/passkeys`);
    await person.type('Name', 'Again');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device has a passkey for your account already.').waitFor();
  });

  it('signs in without a password, and goes on where they were', async () => {
    expect(await signIn()).toBe(303);
    await person.page.waitForURL(`${url}/account`);
    expect(await person.page.textContent('main')).toContain('administratorYou are ann.');
  });

  it('is asked for it after the password', async () => {
    await forgetSession();
    await person.page.goto(`${url}/sign-in`);
    await person.look('sign-in-with-passkey');
    await withPassword();
    expect(new URL(person.page.url()).pathname).toBe('/code');
    await person.look('code-with-passkey');
    expect(await usePasskey('Use a passkey', '/code/passkey')).toBe(303);
    await person.page.waitForURL(`${url}/account`);
  });

  it('confirms who they are with it', async () => {
    await person.page.goto(`${url}/confirm?next=/account/passkeys`);
    expect(await usePasskey('Use a passkey', '/confirm/passkey')).toBe(303);
    await person.page.waitForURL(`${url}/account/passkeys`);
  });

  it('cannot send an answer a second time', async () => {
    const { page } = person;
    const sent = page.waitForRequest((each) => new URL(each.url()).pathname === '/sign-in/passkey');
    expect(await signIn()).toBe(303);
    const body = (await sent).postData() ?? '';
    expect(body).toContain('answer=');
    const replay = await page.evaluate(
      async (fields) =>
        (await fetch('/sign-in/passkey', { method: 'POST', body: new URLSearchParams(fields) })).status,
      body,
    );
    expect(replay).toBe(401);
    expect(JSON.stringify(await refusals())).toContain('challenge_unknown');
  });

  it('is refused at an address that is not the public one, though the browser signs', async () => {
    expect(await signIn(other)).toBe(401);
    await person.page.getByText('The answer was made for a different site.').waitFor();
    expect(JSON.stringify(await refusals())).toContain('origin_differs');
  });

  it('is refused with a copy whose counter is behind', async () => {
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    const [credential] = credentials;
    expect(credential?.signCount).toBeGreaterThan(1);
    await device.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    authenticatorId = await plugIn();
    const copy = { ...credential, signCount: 1 } as NonNullable<typeof credential>;
    await device.send('WebAuthn.addCredential', { authenticatorId, credential: copy });
    expect(await signIn()).toBe(401);
    expect(JSON.stringify(await refusals())).toContain('counter_went_back');
    await device.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    authenticatorId = await plugIn();
    await device.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...copy, signCount: 1000 },
    });
    expect(await signIn()).toBe(303);
  });

  it('removes it, and can no longer use it', async () => {
    const { page } = person;
    expect((await service.cli(['user', 'passkeys', 'ann'])).stdout).toContain('Laptop');
    await page.goto(`${url}/account`);
    await page.getByRole('button', { name: 'Remove' }).first().click();
    await page.getByText('No passkeys yet').waitFor();
    expect(await signIn()).toBe(401);
    await withPassword();
    await person.page.waitForURL(`${url}/account`);
  });
});
