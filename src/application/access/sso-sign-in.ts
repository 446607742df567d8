import {
  hasTwoFactors,
  MAX_SSO_FLOWS,
  SSO_FLOW_LIFE,
  type SsoFlow,
  type SsoIdentity,
  type SsoPurpose,
  type SsoReason,
  SsoRefusal,
} from '../../domain/access/sso-identity.ts';
import { providerNotFound, type SsoProvider } from '../../domain/access/sso-provider.ts';
import { hasSecondFactor, type User } from '../../domain/access/user.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { SsoProof } from '../ports/access/identity-providers.ts';
import type { KnownDevices } from './known-devices.ts';
import type { LinkIdentity } from './link-identity.ts';
import { looksLikeSecret, makeSecret } from './link-secret.ts';
import type { RequireSso } from './require-sso.ts';
import { confirmSession, type Visitor } from './sessions.ts';
import { type Browser, openSession, type SignedIn } from './sign-in.ts';
import type { SignInTries } from './sign-in-tries.ts';
import type { SsoAccounts } from './sso-accounts.ts';
import type { SsoProviders } from './sso-providers.ts';

interface Deps {
  readonly ssoProviders: SsoProviders;
  readonly ssoAccounts: SsoAccounts;
  readonly requireSso: Pick<RequireSso, 'isRequired'>;
  readonly linkIdentity: Pick<LinkIdentity, 'requireMay' | 'link'>;
  readonly devices: KnownDevices;
  readonly tries: SignInTries;
}

/** What the sign-in page offers. */
export interface SsoOffer {
  readonly providers: readonly Pick<SsoProvider, 'name' | 'label' | 'issuer'>[];
  readonly required: boolean;
}

/** A sign-in that goes on at the provider. `secret` goes into the browser's cookie and nowhere else. */
interface StartedSso {
  readonly url: string;
  readonly secret: string;
}

/** A session that was opened, or an existing one that was confirmed, under a new secret; null: it stays as it is. */
interface FinishedSso {
  readonly next: string;
  readonly session: SignedIn | { readonly secret: string } | null;
}

/** The user tried; a fault of the provider is not counted against their address. */
const NOT_COUNTED: ReadonlySet<SsoReason> = new Set([
  'provider_unreachable',
  'provider_unusable',
  'issuer_differs',
  'secret_refused',
]);

/** Signing in at a provider of single sign-on, and confirming who uses a session there. */
export class SsoSignIn extends UseCase<
  | 'identityProviders'
  | 'sessions'
  | 'randomness'
  | 'digest'
  | 'clock'
  | 'sso.addFlow'
  | 'sso.takeFlow'
  | 'users.findByIdentity'
  | 'users.touch',
  Deps
> {
  async offer(): Promise<SsoOffer> {
    const enabled = (await this.deps.ssoProviders.list()).filter((provider) => this.#isUsable(provider));
    const providers = enabled.map(({ name, label, issuer }) => ({ name, label, issuer }));
    return { providers, required: await this.deps.requireSso.isRequired() };
  }

  /** Throws `provider_not_found`, `SsoRefusal`. */
  async start(
    name: string,
    wanted: { readonly purpose: Exclude<SsoPurpose, 'link'>; readonly next: string },
  ): Promise<StartedSso> {
    const provider = await this.#usable(name);
    return this.#start(provider, { ...wanted, boundTo: null });
  }

  /** Returns the secret. Throws `provider_not_found`, `confirmation_needed`, `SsoRefusal`. */
  async startLink(name: string, visitor: Visitor): Promise<string> {
    const provider = await this.#usable(name);
    await this.deps.linkIdentity.requireMay(visitor);
    const { secret } = await this.#start(provider, { purpose: 'link', next: '/account', boundTo: visitor });
    return secret;
  }

  /** The provider's address for a link that this session started; null if the browser has no secret. */
  async linkUrl(name: string, secret: string | null, visitor: Visitor): Promise<string | null> {
    if (secret === null || !looksLikeSecret(secret)) return null;
    return this.#urlOf(
      await this.#usable(name),
      this.#proof(await this.#usable(name), secret, 'link', visitor),
    );
  }

  async #start(
    provider: SsoProvider,
    {
      boundTo,
      ...wanted
    }: { readonly purpose: SsoPurpose; readonly next: string; readonly boundTo: Visitor | null },
  ): Promise<StartedSso> {
    const { sso, randomness, digest, clock } = this.deps;
    const { secret, hash } = makeSecret(randomness, digest);
    const url = await this.#urlOf(provider, this.#proof(provider, secret, wanted.purpose, boundTo));
    const flow: SsoFlow = { ...wanted, provider: provider.name, startedAt: clock.now() };
    if (!(await sso.addFlow(hash, flow, MAX_SSO_FLOWS))) throw new SsoRefusal('throttled');
    return { url, secret };
  }

  #urlOf(provider: SsoProvider, proof: SsoProof): Promise<string> {
    const { ssoProviders, identityProviders } = this.deps;
    return identityProviders.authorizationUrl(ssoProviders.clientOf(provider), proof);
  }

  /**
   * The provider's answer, `answer` being the query of the redirect. Throws `sign_in_throttled`, `provider_not_found`,
   * `SsoRefusal`, `last_administrator`.
   */
  async finish(
    name: string,
    { secret, answer }: { readonly secret: string | null; readonly answer: URLSearchParams },
    browser: Browser,
    visitor: Visitor | null,
  ): Promise<FinishedSso> {
    const { tries } = this.deps;
    const counted = await tries.countAddress('sso', browser.address);
    try {
      const finished = await this.#finish(name, { secret, answer }, browser, visitor);
      await tries.forgive(counted);
      return finished;
    } catch (error) {
      if (!isDomainError(error)) throw error;
      const reason = error instanceof SsoRefusal ? error.reason : error.code;
      if (error instanceof SsoRefusal && NOT_COUNTED.has(error.reason)) await tries.forgive(counted);
      await tries.refuse('sso', null, browser.address, 'sign_in_failed', {
        provider: name.slice(0, 32),
        reason,
      });
      throw error;
    }
  }

  /** Where the browser ends its session at the provider; `null` if that is not possible. */
  async signOutUrl(name: string): Promise<string | null> {
    const { ssoProviders, identityProviders } = this.deps;
    const provider = await this.#usable(name);
    const { signedOutUri } = ssoProviders;
    return signedOutUri === null
      ? null
      : identityProviders.signOutUrl(ssoProviders.clientOf(provider), signedOutUri);
  }

  async #finish(
    name: string,
    { secret, answer }: { readonly secret: string | null; readonly answer: URLSearchParams },
    browser: Browser,
    visitor: Visitor | null,
  ): Promise<FinishedSso> {
    const { sso, ssoProviders, ssoAccounts, identityProviders, digest, clock } = this.deps;
    if (secret === null || !looksLikeSecret(secret)) throw new SsoRefusal('flow_unknown');
    const flow = await sso.takeFlow(digest.sha256(secret), clock.now() - SSO_FLOW_LIFE);
    if (flow === null) throw new SsoRefusal('flow_unknown');
    // An answer to the address of another provider: that one may be trying to get this one's code.
    if (flow.provider !== name) throw new SsoRefusal('response_invalid');
    const provider = await this.#usable(name);
    const identity = await identityProviders.identify(
      ssoProviders.clientOf(provider),
      answer,
      this.#proof(provider, secret, flow.purpose, visitor),
    );
    if (flow.purpose === 'link') {
      if (visitor === null || visitor.session.stage !== 'full') throw new SsoRefusal('other_user');
      await this.deps.linkIdentity.link(visitor, identity, provider);
      return { next: flow.next, session: null };
    }
    if (flow.purpose === 'confirm') {
      const found = await this.deps.users.findByIdentity(identity);
      return { next: flow.next, session: { secret: await this.#confirm(found, visitor) } };
    }
    const user = await ssoAccounts.enter(identity, provider, browser.address);
    return { next: flow.next, session: await this.#open(user, { provider, identity }, browser) };
  }

  /** Throws `SsoRefusal` unless the session belongs to the user who proved who they are. */
  async #confirm(user: User | null, visitor: Visitor | null): Promise<string> {
    if (visitor === null || visitor.session.stage !== 'full' || user?.id !== visitor.user.id)
      throw new SsoRefusal('other_user');
    return confirmSession(visitor, this.deps);
  }

  async #open(
    user: User,
    { provider, identity }: { readonly provider: SsoProvider; readonly identity: SsoIdentity },
    browser: Browser,
  ): Promise<SignedIn> {
    const { devices, clock } = this.deps;
    const deviceId = await devices.find(user.id, browser.device);
    const twoFactors = hasTwoFactors(provider.twoFactor, identity);
    const stage = hasSecondFactor(user) && !twoFactors ? 'code' : 'full';
    // The provider's own session may be days old: only its last proof counts as a confirmation.
    const confirmedAt = Math.min(identity.authenticatedAt ?? 0, clock.now());
    const step = {
      stage,
      deviceId,
      provider: provider.name,
      hasTwoFactors: twoFactors,
      confirmedAt,
    } as const;
    return openSession(user, step, browser, this.deps);
  }

  #isUsable(provider: SsoProvider): boolean {
    return provider.enabled && this.deps.ssoProviders.redirectUri(provider.name) !== null;
  }

  async #usable(name: string): Promise<SsoProvider> {
    const provider = await this.deps.ssoProviders.find(name);
    if (provider === null || !this.#isUsable(provider)) throw providerNotFound(`"${name.slice(0, 60)}"`);
    return provider;
  }

  /**
   * All of it follows from the secret in the browser's cookie: only this browser can finish the sign-in. A link is also
   * bound to the session that asked for it.
   */
  #proof(provider: SsoProvider, secret: string, purpose: SsoPurpose, visitor: Visitor | null): SsoProof {
    const { ssoProviders, digest } = this.deps;
    const bound = purpose === 'link' ? `:link:${visitor?.session.id}` : '';
    const derived = (what: string): string => digest.sha256(`${what}:${secret}${bound}`);
    return {
      redirectUri: ssoProviders.redirectUri(provider.name) ?? '',
      state: derived('state'),
      nonce: derived('nonce'),
      verifier: derived('verifier'),
      fresh: purpose !== 'sign_in',
    };
  }
}
