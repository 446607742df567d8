import { beforeEach, describe, expect, it } from 'vitest';
import { ManageSso } from '../../../../src/application/access/manage-sso.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { BROWSER, PASSWORD } from '../../../support/accounts-scene.ts';
import { CliFixture } from './cli-fixture.ts';

describe('drover sso', () => {
  let cli: CliFixture;
  beforeEach(async () => {
    cli = new CliFixture();
    await cli.useCases.get(ManageSso).add(Actor.operator('cli:tester'), {
      name: 'home',
      label: 'Home',
      issuer: 'https://auth.example.org',
      clientId: 'drover',
      clientSecret: 'hush-hush',
      roles: 'ops=operator',
    });
  });

  it('lists providers without their secrets, and the redirect URI to register', async () => {
    expect((await cli.run('sso list')).out).toMatch(/home +Home +https:\/\/auth\.example\.org +1 +on/);
    const listed = await cli.json('sso list');
    expect(listed).toMatchObject({
      total: 1,
      providers: [
        {
          name: 'home',
          roles: [{ group: 'ops', role: 'operator' }],
          redirect_uri: 'https://drover.example.org/sign-in/sso/home/callback',
          from_environment: false,
        },
      ],
    });
    expect(JSON.stringify(listed)).not.toContain('hush-hush');
  });

  it('tests a provider, and fails if something is wrong', async () => {
    cli.ssoFindings = [{ check: 'discovery', state: 'good', text: 'Fine.' }];
    expect(await cli.run('sso test home')).toMatchObject({ code: 0 });
    cli.ssoFindings = [{ check: 'secret', state: 'bad', text: 'Refused.' }];
    const failed = await cli.run('sso test home');
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.out).toMatch(/secret +bad +Refused\./);
    expect(await cli.run('sso test other')).toMatchObject({ code: 4 });
  });

  it('requires single sign-on, and turns that off in an emergency', async () => {
    expect(await cli.run('sso require root')).toMatchObject({ code: 2 });
    const { secret } = (await cli.accounts.offerSetup.execute()) ?? { secret: '' };
    await cli.accounts.takeUpLink.execute(secret, { name: 'root', password: PASSWORD }, BROWSER.address);
    expect(await cli.json('sso require root')).toEqual({ required: true, break_glass: 'root' });
    expect(await cli.json('sso require')).toEqual({ required: true, break_glass: 'root' });
    expect(await cli.json('sso require off')).toEqual({ required: false, break_glass: null });
  });

  it('disables and enables a provider', async () => {
    expect(await cli.run('sso disable home --yes')).toMatchObject({ code: 0 });
    expect(await cli.json('sso list')).toMatchObject({ providers: [{ enabled: false }] });
    expect(await cli.run('sso enable home')).toMatchObject({ code: 0, out: 'Enabled home.\n' });
  });
});
