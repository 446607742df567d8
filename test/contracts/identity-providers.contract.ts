import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  IdentityProviders,
  ProviderClient,
  SsoProof,
} from '../../src/application/ports/access/identity-providers.ts';
import { type RealProvider, realProvider } from '../support/real-provider.ts';

const REDIRECT = 'https://drover.example.org/sign-in/sso/home/callback';
const USERS = {
  ann: { preferred_username: 'ann', email: 'ann@example.org', email_verified: true, groups: ['ops', 'all'] },
};
const PROOF: SsoProof = {
  redirectUri: REDIRECT,
  state: 'a-state',
  nonce: 'a-nonce',
  verifier: 'a-verifier-'.repeat(5),
  fresh: false,
};

/** What every `IdentityProviders` does, at a real provider. */
export function identityProvidersContract(name: string, make: () => IdentityProviders): void {
  describe.each([
    ['in the ID token', true],
    ['in the reply about the user', false],
  ])(`IdentityProviders: ${name}, claims %s`, (_, claimsInToken) => {
    const providers = make();
    let real: RealProvider;
    let client: ProviderClient;
    beforeAll(async () => {
      real = await realProvider({ users: USERS, redirectUris: [REDIRECT], claimsInToken });
      const { issuer, clientId, clientSecret } = real;
      const scopes = 'openid profile email groups';
      client = { issuer, clientId, clientSecret, scopes, groupsClaim: 'groups', allowPrivate: true };
    });
    afterAll(() => real.close());
    const answerTo = async (proof: SsoProof): Promise<URLSearchParams> =>
      (await real.follow(await providers.authorizationUrl(client, proof))).searchParams;

    it('proves who signed in, once for each code', async () => {
      const answer = await answerTo(PROOF);
      expect(await providers.identify(client, answer, PROOF)).toMatchObject({
        issuer: real.issuer,
        subject: 'ann',
        names: claimsInToken ? ['ann', 'ann@example.org'] : expect.any(Array),
        groups: ['ops', 'all'],
      });
      await expect(providers.identify(client, answer, PROOF)).rejects.toMatchObject({
        reason: 'code_refused',
      });
    });

    it('refuses a different state, nonce or verifier', async () => {
      for (const [over, reason] of [
        [{ state: 'other' }, 'response_invalid'],
        [{ nonce: 'other' }, 'token_invalid'],
        [{ verifier: 'other-'.repeat(10) }, 'code_refused'],
      ] as const) {
        const refused = providers.identify(client, await answerTo(PROOF), { ...PROOF, ...over });
        await expect(refused, reason).rejects.toMatchObject({ code: 'sign_in_failed', reason });
      }
    });

    it('asks again who it is if that has to be recent', async () => {
      const fresh = { ...PROOF, fresh: true };
      const { authenticatedAt } = await providers.identify(client, await answerTo(fresh), fresh);
      expect(Math.abs((authenticatedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    });

    it('has an address to sign out at', async () => {
      const url = new URL((await providers.signOutUrl(client, 'https://drover.example.org/sign-in')) ?? '');
      expect(url.origin).toBe(real.issuer);
      expect(url.searchParams.get('post_logout_redirect_uri')).toBe('https://drover.example.org/sign-in');
    });

    it('finds a wrong secret, and a claim that the provider does not know', async () => {
      const findings = async (over: Partial<ProviderClient>) =>
        (await providers.check({ ...client, ...over }, REDIRECT)).map(
          ({ check, state }) => `${check} ${state}`,
        );
      const good = [
        'discovery good',
        'flow good',
        'keys good',
        'secret good',
        'groups good',
        'sign_out good',
      ];
      expect(await findings({})).toEqual(good);
      expect(await findings({ clientSecret: 'wrong' })).toContain('secret bad');
      expect(await findings({ groupsClaim: 'teams' })).toContain('groups care');
    });
  });
}
