import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpPoster } from '../../../../src/adapters/outbound/notifications/http-poster.ts';
import { OpenidProviders } from '../../../../src/adapters/outbound/oidc/openid-providers.ts';
import type {
  ProviderClient,
  SsoProof,
} from '../../../../src/application/ports/access/identity-providers.ts';
import { identityProvidersContract } from '../../../contracts/identity-providers.contract.ts';
import { type Forgery, type ForgingProvider, forgingProvider } from '../../../support/forging-provider.ts';

const REDIRECT = 'https://drover.example.org/sign-in/sso/home/callback';
const poster = new HttpPoster({ allowPrivate: false });
const providers = new OpenidProviders({ http: poster });
afterAll(() => poster.close());

identityProvidersContract('openid-client', () => providers);

const proof: SsoProof = {
  redirectUri: REDIRECT,
  state: 'state-1',
  nonce: 'nonce-1',
  verifier: 'v'.repeat(43),
  fresh: false,
};

describe('forged answers', () => {
  let forging: ForgingProvider;
  let client: ProviderClient;
  beforeAll(async () => {
    forging = await forgingProvider('drover');
    client = {
      issuer: forging.issuer,
      clientId: 'drover',
      clientSecret: 'secret',
      scopes: 'openid',
      groupsClaim: 'groups',
      allowPrivate: true,
    };
  });
  afterAll(() => forging.close());
  beforeEach(() => {
    forging.forgery = {};
  });

  const right = { nonce: 'nonce-1', groups: ['ops'] };
  const answer = (over: Record<string, string | null> = {}): URLSearchParams => {
    const all = { code: 'c', state: 'state-1', iss: forging.issuer, ...over };
    return new URLSearchParams(
      Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null),
    );
  };
  const identify = (forgery: Forgery, query = answer(), over: Partial<SsoProof> = {}) => {
    forging.forgery = { ...forgery, claims: { ...right, ...forgery.claims } };
    return providers.identify(client, query, { ...proof, ...over });
  };
  const seconds = (): number => Math.floor(Date.now() / 1000);

  it('accepts a right token, also from a clock that is up to a minute off', async () => {
    expect(await identify({})).toMatchObject({ issuer: forging.issuer, subject: 'ann', groups: ['ops'] });
    expect(await identify({ claims: { exp: seconds() - 40 } })).toMatchObject({ subject: 'ann' });
    expect(await identify({ claims: { iat: seconds() + 40, nbf: seconds() + 40 } })).toMatchObject({
      subject: 'ann',
    });
  });

  it.each<[string, Forgery | (() => Forgery)]>([
    ['a bad signature', { foreignKey: true }],
    ['an unknown key', { header: { kid: 'other' }, foreignKey: true }],
    ['no signature', { unsigned: true }],
    ['an algorithm that it does not offer', { header: { alg: 'HS256' } }],
    ['a wrong audience', { claims: { aud: 'other' } }],
    ['several audiences and a foreign authorized party', { claims: { aud: ['drover', 'x'], azp: 'x' } }],
    ['a wrong issuer', { claims: { iss: 'https://other.example.org' } }],
    ['a wrong nonce', { claims: { nonce: 'other' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['an expired token', () => ({ claims: { exp: seconds() - 90, iat: seconds() - 300 } })],
    ['a token from the future', () => ({ claims: { nbf: seconds() + 300 } })],
    ['no subject', { claims: { sub: undefined } }],
  ])('refuses %s', async (_, forgery) => {
    const refused = identify(typeof forgery === 'function' ? forgery() : forgery);
    await expect(refused).rejects.toMatchObject({ code: 'sign_in_failed', reason: 'token_invalid' });
  });

  it.each([
    ['a wrong state', { state: 'other' }],
    ['no state', { state: null }],
    ['the issuer of another provider (mix-up)', { iss: 'https://other.example.org' }],
    ['no issuer, though the provider sends it', { iss: null }],
    ['no code', { code: null }],
  ])('refuses %s before it sends the code', async (_, over) => {
    const before = forging.asked.length;
    await expect(identify({}, answer(over))).rejects.toMatchObject({ reason: 'response_invalid' });
    expect(forging.asked.slice(before)).not.toContain('/token');
  });

  it('says what the provider refused', async () => {
    const denied = new URLSearchParams({ error: 'access_denied', state: 'state-1', iss: forging.issuer });
    await expect(identify({}, denied)).rejects.toMatchObject({ reason: 'denied' });
    const used = { status: 400, body: { error: 'invalid_grant' } };
    await expect(identify({ reply: used })).rejects.toMatchObject({ reason: 'code_refused' });
    const secret = { status: 401, body: { error: 'invalid_client' } };
    await expect(identify({ reply: secret })).rejects.toMatchObject({ reason: 'secret_refused' });
  });

  it('asks for a recent proof, and refuses an old or missing one', async () => {
    const fresh = { fresh: true };
    await expect(identify({}, answer(), fresh)).rejects.toMatchObject({ reason: 'not_recent' });
    const old = { claims: { auth_time: seconds() - 300 } };
    await expect(identify(old, answer(), fresh)).rejects.toMatchObject({ reason: 'not_recent' });
    const now = { claims: { auth_time: seconds() } };
    expect(await identify(now, answer(), fresh)).toMatchObject({ authenticatedAt: expect.any(Number) });
  });

  it('follows a provider that replaces its keys', async () => {
    await identify({});
    forging.rotate();
    expect(await identify({})).toMatchObject({ subject: 'ann' });
  });

  it('reads groups from the claim that is named, and trusts verified addresses only', async () => {
    const groupsIn = async (groupsClaim: string, claims: Record<string, unknown>) => {
      forging.forgery = { claims: { nonce: 'nonce-1', ...claims } };
      return (await providers.identify({ ...client, groupsClaim }, answer(), proof)).groups;
    };
    expect(await groupsIn('realm_access.roles', { realm_access: { roles: ['a', 7, 'b'] } })).toEqual([
      'a',
      'b',
    ]);
    expect(await groupsIn('https://x.org/groups', { 'https://x.org/groups': ['a'] })).toEqual(['a']);
    expect(await groupsIn('hd', { hd: 'example.org' })).toEqual(['example.org']);
    expect(await groupsIn('email', { email: 'a@example.org' })).toBeNull();
    expect(await groupsIn('groups', {})).toBeNull();
  });

  it('refuses private addresses unless they are allowed, and a different issuer', async () => {
    const closed = { ...client, allowPrivate: false };
    await expect(providers.authorizationUrl(closed, proof)).rejects.toMatchObject({
      reason: 'provider_unreachable',
    });
    const { metadata } = forging;
    forging.metadata = { ...metadata, issuer: 'http://127.0.0.1:1/' };
    const other = { ...client, clientId: 'second' };
    await expect(providers.authorizationUrl(other, proof)).rejects.toMatchObject({
      reason: 'issuer_differs',
    });
    forging.metadata = metadata;
  });

  it('says that a provider is down', async () => {
    const gone = await forgingProvider('drover');
    await gone.close();
    const down = { ...client, issuer: gone.issuer };
    await expect(providers.authorizationUrl(down, proof)).rejects.toMatchObject({
      reason: 'provider_unreachable',
    });
    expect(await providers.check(down, REDIRECT)).toMatchObject([{ check: 'discovery', state: 'bad' }]);
  });
});
