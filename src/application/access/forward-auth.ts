import {
  FORWARD_AUTH,
  type ForwardAuthSettings,
  type ForwardedHeaders,
  forwardedIdentity,
} from '../../domain/access/forward-auth.ts';
import { SsoRefusal } from '../../domain/access/sso-identity.ts';
import { rolesOfGroups } from '../../domain/access/sso-provider.ts';
import { hasSecondFactor } from '../../domain/access/user.ts';
import { areSameRoles } from '../../domain/access/user-roles.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Visitor } from './sessions.ts';
import { type Browser, openSession, type SignedIn } from './sign-in.ts';
import type { SignInTries } from './sign-in-tries.ts';
import type { SsoAccounts } from './sso-accounts.ts';

interface Deps {
  readonly ssoAccounts: Pick<SsoAccounts, 'enter'>;
  readonly devices: KnownDevices;
  readonly tries: SignInTries;
}

/**
 * Signing in as the user whom a trusted reverse proxy names in its headers. The headers open a session and keep it; without
 * one they allow nothing.
 */
export class ForwardAuth extends UseCase<
  'forwardAuth' | 'sessions' | 'randomness' | 'digest' | 'clock' | 'users.findByIdentity' | 'users.touch',
  Deps
> {
  /** `null`: switched off. */
  get settings(): ForwardAuthSettings | null {
    return this.deps.forwardAuth;
  }

  /** `headers`: `null` if no trusted proxy sent any. Throws `sign_in_throttled`, `provider_not_found`, `SsoRefusal`. */
  async signIn(headers: ForwardedHeaders | null, browser: Browser): Promise<SignedIn> {
    const { tries, forwardAuth } = this.deps;
    if (forwardAuth === null) throw new DomainError('not_found', 'There is no page at this address.');
    const counted = await tries.countAddress('sso', browser.address);
    try {
      const opened = await this.#open(headers, forwardAuth, browser);
      await tries.forgive(counted);
      return opened;
    } catch (error) {
      if (!isDomainError(error)) throw error;
      const reason = error instanceof SsoRefusal ? error.reason : error.code;
      await tries.refuse('sso', null, browser.address, 'sign_in_failed', { provider: FORWARD_AUTH, reason });
      throw error;
    }
  }

  /**
   * Whether a session goes on with this request. One that the proxy's headers opened does as long as they name the same
   * user with the same roles; others always do.
   */
  async keeps(visitor: Visitor, headers: ForwardedHeaders | null): Promise<boolean> {
    if (visitor.session.provider !== FORWARD_AUTH) return true;
    const { forwardAuth, users } = this.deps;
    if (forwardAuth === null || headers === null) return false;
    try {
      const identity = forwardedIdentity(headers, forwardAuth);
      const roles = rolesOfGroups(forwardAuth.roles, identity.groups ?? []);
      if (roles === null || !areSameRoles(visitor.user, roles)) return false;
      return (await users.findByIdentity(identity))?.id === visitor.user.id;
    } catch (error) {
      if (error instanceof SsoRefusal) return false;
      throw error;
    }
  }

  async #open(
    headers: ForwardedHeaders | null,
    settings: ForwardAuthSettings,
    browser: Browser,
  ): Promise<SignedIn> {
    const { ssoAccounts, devices } = this.deps;
    if (headers === null)
      throw new SsoRefusal('response_invalid', 'No proxy of SERVICE_TRUSTED_PROXIES named a user.');
    const identity = forwardedIdentity(headers, settings);
    if (identity.groups === null)
      throw new SsoRefusal('groups_missing', `The header ${settings.headers.groups} is missing.`);
    const voucher = { name: FORWARD_AUTH, label: 'the proxy', roles: settings.roles, groupsClaim: '' };
    const user = await ssoAccounts.enter(identity, voucher, browser.address);
    const { hasTwoFactors } = settings;
    const step = {
      stage: hasSecondFactor(user) && !hasTwoFactors ? 'code' : 'full',
      deviceId: await devices.find(user.id, browser.device),
      provider: FORWARD_AUTH,
      hasTwoFactors,
    } as const;
    return openSession(user, step, browser, this.deps);
  }
}
