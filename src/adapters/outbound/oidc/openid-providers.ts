import * as oidc from 'openid-client';
import type {
  IdentityProviders,
  ProviderClient,
  ProviderFinding,
  SsoProof,
} from '../../../application/ports/access/identity-providers.ts';
import { MAX_SSO_SKEW, type SsoIdentity } from '../../../domain/access/sso-identity.ts';
import { MINUTE, SECOND } from '../../../domain/base/instant.ts';
import { checkProvider } from './check-provider.ts';
import { type OutboundHttp, policedFetch } from './policed-fetch.ts';
import { refusalOf } from './refusals.ts';

type Claims = Readonly<Record<string, unknown>>;

const MAX_GROUPS = 2_000;

/** The proven claims in Drover's terms. */
function identityOf(
  claims: Claims & { readonly iss: string; readonly sub: string },
  groups: string,
): SsoIdentity {
  const text = (name: string): readonly string[] =>
    typeof claims[name] === 'string' && claims[name] !== '' ? [claims[name]] : [];
  const at = claims['auth_time'];
  return {
    issuer: claims.iss,
    subject: claims.sub,
    names: [...text('preferred_username'), ...text('email'), ...text('nickname'), ...text('name')],
    groups: groupsOf(claims, groups),
    authenticatedAt: typeof at === 'number' ? at * SECOND : null,
    amr: textsOf(claims['amr']) ?? [],
    acr: text('acr')[0] ?? null,
  };
}

/**
 * The groups in this claim: texts, or one text. A name with dots is also a path, such as `realm_access.roles`. An
 * e-mail address counts only if the provider verified it. `null`: there is no such claim.
 */
function groupsOf(claims: Claims, name: string): readonly string[] | null {
  if (name === 'email' && claims['email_verified'] !== true) return null;
  return textsOf(Object.hasOwn(claims, name) ? claims[name] : atPath(claims, name.split('.')));
}

const atPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? (at as Claims)[step] : undefined,
    value,
  );

function textsOf(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return null;
  return value.slice(0, MAX_GROUPS).filter((each): each is string => typeof each === 'string');
}

/** Metadata is read again after this; the keys of a provider, at each sign-in. */
const METADATA_LIFE = MINUTE;
const MAX_KEPT = 50;

interface Deps {
  readonly http: OutboundHttp;
}

interface CachedMetadata {
  readonly metadata: Promise<oidc.ServerMetadata>;
  readonly until: number;
}

/** OpenID Connect by `openid-client`. */
export class OpenidProviders implements IdentityProviders {
  readonly #http: OutboundHttp;
  readonly #kept = new Map<string, CachedMetadata>();

  constructor({ http }: Deps) {
    this.#http = http;
  }

  async authorizationUrl(client: ProviderClient, proof: SsoProof): Promise<string> {
    try {
      const url = oidc.buildAuthorizationUrl(await this.#configuration(client), {
        redirect_uri: proof.redirectUri,
        scope: client.scopes,
        state: proof.state,
        nonce: proof.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(proof.verifier),
        code_challenge_method: 'S256',
        ...(proof.fresh ? { max_age: '0', prompt: 'login' } : {}),
      });
      return url.href;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async identify(client: ProviderClient, answer: URLSearchParams, proof: SsoProof): Promise<SsoIdentity> {
    try {
      const configuration = await this.#configuration(client);
      const url = new URL(proof.redirectUri);
      url.search = answer.toString();
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        expectedState: proof.state,
        expectedNonce: proof.nonce,
        pkceCodeVerifier: proof.verifier,
        idTokenExpected: true,
        ...(proof.fresh ? { maxAge: 0 } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('an ID token was asked for');
      const needsMore = groupsOf(claims, client.groupsClaim) === null;
      // Some providers put groups into the reply about the user only.
      const more =
        needsMore && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {};
      return identityOf({ ...more, ...claims }, client.groupsClaim);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async signOutUrl(client: ProviderClient, returnTo: string): Promise<string | null> {
    try {
      const configuration = await this.#configuration(client);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async check(client: ProviderClient, redirectUri: string): Promise<readonly ProviderFinding[]> {
    this.#kept.delete(keyOf(client));
    return checkProvider({
      client,
      redirectUri,
      configuration: () => this.#configuration(client),
      fetch: policedFetch(this.#http, client),
    });
  }

  /** A new one for each use: its keys are fetched again, so that a provider may change them at any time. */
  async #configuration(client: ProviderClient): Promise<oidc.Configuration> {
    const metadata = await this.#metadata(client);
    const { clientId, clientSecret } = client;
    const configuration = new oidc.Configuration(
      metadata,
      clientId,
      { [oidc.clockTolerance]: MAX_SSO_SKEW / SECOND },
      authenticationOf(metadata, clientSecret),
    );
    configuration[oidc.customFetch] = policedFetch(this.#http, client);
    if (client.issuer.startsWith('http:')) oidc.allowInsecureRequests(configuration);
    // Otherwise a token that came over TLS would be taken without a look at its signature.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  async #metadata(client: ProviderClient): Promise<oidc.ServerMetadata> {
    const key = keyOf(client);
    const now = Date.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now < kept.until) return kept.metadata;
    const metadata = this.#discover(client);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { metadata, until: now + METADATA_LIFE });
    metadata.catch(() => this.#kept.delete(key));
    return metadata;
  }

  async #discover(client: ProviderClient): Promise<oidc.ServerMetadata> {
    const found = await oidc.discovery(new URL(client.issuer), client.clientId, undefined, oidc.None(), {
      [oidc.customFetch]: policedFetch(this.#http, client),
      execute: client.issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    });
    return { ...found.serverMetadata() };
  }
}

const keyOf = ({ issuer, clientId, allowPrivate }: ProviderClient): string =>
  JSON.stringify([issuer, clientId, allowPrivate]);

/** As the provider prefers; OpenID Connect's default is `client_secret_basic`. */
function authenticationOf(metadata: oidc.ServerMetadata, secret: string): oidc.ClientAuth {
  if (secret === '') return oidc.None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret);
}
