import * as oidc from 'openid-client';
import type {
  ProviderClient,
  ProviderFinding,
} from '../../../application/ports/access/identity-providers.ts';
import { SsoRefusal } from '../../../domain/access/sso-identity.ts';
import { refusalOf } from './refusals.ts';

interface Subject {
  readonly client: ProviderClient;
  readonly redirectUri: string;
  readonly configuration: () => Promise<oidc.Configuration>;
  readonly fetch: oidc.CustomFetch;
}

/** Looks at everything that needs no user. */
export async function checkProvider(subject: Subject): Promise<readonly ProviderFinding[]> {
  let configuration: oidc.Configuration;
  try {
    configuration = await subject.configuration();
  } catch (error) {
    return [{ check: 'discovery', state: 'bad', text: wordsOf(error) }];
  }
  const metadata = configuration.serverMetadata();
  return [
    { check: 'discovery', state: 'good', text: `Drover read the configuration of ${metadata.issuer}.` },
    flowFinding(metadata),
    await keysFinding(metadata, subject.fetch),
    await secretFinding(configuration, subject),
    groupsFinding(metadata, subject.client),
    metadata.end_session_endpoint === undefined
      ? { check: 'sign_out', state: 'care', text: 'Signing out of Drover does not sign out at the provider.' }
      : { check: 'sign_out', state: 'good', text: 'Users can also sign out at the provider.' },
  ];
}

function flowFinding(metadata: oidc.ServerMetadata): ProviderFinding {
  const check = 'flow';
  if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
    return { check, state: 'bad', text: 'The provider does not offer the authorization code flow.' };
  return metadata.code_challenge_methods_supported?.includes('S256') !== true
    ? { check, state: 'care', text: 'The provider does not say that it supports PKCE with S256.' }
    : { check, state: 'good', text: 'The provider supports the authorization code flow with PKCE.' };
}

async function keysFinding(metadata: oidc.ServerMetadata, fetch: oidc.CustomFetch): Promise<ProviderFinding> {
  const check = 'keys';
  const { jwks_uri: uri } = metadata;
  if (uri === undefined) return { check, state: 'bad', text: 'The provider lists no keys.' };
  try {
    const reply = await fetch(uri, { method: 'GET', headers: {}, body: undefined, redirect: 'manual' });
    const { keys } = (await reply.json()) as { readonly keys?: unknown };
    if (Array.isArray(keys) && keys.length > 0)
      return { check, state: 'good', text: 'Drover read the keys that sign tokens.' };
    return { check, state: 'bad', text: 'The provider lists no keys.' };
  } catch (error) {
    const { message } = refusalOf(error);
    return { check, state: 'bad', text: `The keys of the provider cannot be read. ${message}` };
  }
}

/** Offers a code that does not exist: a provider that refuses the code has accepted the client. */
async function secretFinding(
  configuration: oidc.Configuration,
  { redirectUri }: Subject,
): Promise<ProviderFinding> {
  const check = 'secret';
  const good = {
    check,
    state: 'good',
    text: 'The provider accepted the client ID and client secret.',
  } as const;
  const url = new URL(redirectUri);
  url.search = new URLSearchParams({
    code: 'drover-test',
    iss: configuration.serverMetadata().issuer,
  }).toString();
  try {
    await oidc.authorizationCodeGrant(configuration, url, { pkceCodeVerifier: 'drover-test-'.repeat(4) });
    return good;
  } catch (error) {
    const refused = refusalOf(error);
    if (!(refused instanceof SsoRefusal)) throw error;
    if (refused.reason === 'code_refused') return good;
    return { check, state: refused.reason === 'secret_refused' ? 'bad' : 'care', text: refused.message };
  }
}

function groupsFinding(
  { claims_supported: claims, scopes_supported: scopes }: oidc.ServerMetadata,
  { groupsClaim, scopes: asked }: ProviderClient,
): ProviderFinding {
  const check = 'groups';
  const [name = ''] = claims?.includes(groupsClaim) ? [groupsClaim] : groupsClaim.split('.');
  const missing = asked.split(' ').filter((scope) => scopes !== undefined && !scopes.includes(scope));
  if (missing.length > 0)
    return { check, state: 'care', text: `The provider does not list the scope ${missing.join(', ')}.` };
  if (claims !== undefined && !claims.includes(name))
    return {
      check,
      state: 'care',
      text: `The provider does not list the claim "${name}". Without it, users get no role: check its name, and that the provider adds it to tokens of this client.`,
    };
  return { check, state: 'good', text: `Drover reads roles from the claim "${groupsClaim}".` };
}

function wordsOf(error: unknown): string {
  const refused = refusalOf(error);
  if (refused instanceof SsoRefusal) return refused.message;
  throw error;
}
