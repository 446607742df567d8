import type { SsoIdentity } from '../../../domain/access/sso-identity.ts';
import type { SsoProvider } from '../../../domain/access/sso-provider.ts';

/** Drover's registration at a provider. */
export type ProviderClient = Pick<
  SsoProvider,
  'issuer' | 'clientId' | 'scopes' | 'groupsClaim' | 'allowPrivate'
> & { readonly clientSecret: string };

/** What binds a provider's answer to the browser and to the sign-in that it started. */
export interface SsoProof {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: 43 to 128 characters. */
  readonly verifier: string;
  /** The user has to prove who they are again. */
  readonly fresh: boolean;
}

/** One thing that a test of a provider looked at. */
export interface ProviderFinding {
  readonly check: 'discovery' | 'flow' | 'keys' | 'secret' | 'groups' | 'sign_out';
  readonly state: 'good' | 'care' | 'bad';
  /** A sentence or two. */
  readonly text: string;
}

/**
 * OpenID Connect, authorization code with PKCE. Requests are limited in time and size, and go to public addresses
 * unless the client allows private ones.
 */
export interface IdentityProviders {
  /** Where the browser signs in. Throws `SsoRefusal`. */
  authorizationUrl(client: ProviderClient, proof: SsoProof): Promise<string>;
  /**
   * Trades the answer, the query of the redirect, for a proven identity: signature, issuer, audience, nonce and times
   * of the token are checked. Throws `SsoRefusal`.
   */
  identify(client: ProviderClient, answer: URLSearchParams, proof: SsoProof): Promise<SsoIdentity>;
  /** Where the browser ends its session at the provider; `null` if the provider has no such place. Throws `SsoRefusal`. */
  signOutUrl(client: ProviderClient, returnTo: string): Promise<string | null>;
  /** Looks at everything that needs no user. Never throws. */
  check(client: ProviderClient, redirectUri: string): Promise<readonly ProviderFinding[]>;
}
