import { DomainError } from '../base/errors.ts';
import { type Instant, MINUTE } from '../base/instant.ts';
import type { TwoFactorSign } from './sso-provider.ts';

/** What a provider proves about a user who signed in. */
export interface SsoIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** From which the name of a new account is taken, the best first. */
  readonly names: readonly string[];
  /** `null`: the claim with the groups is missing. */
  readonly groups: readonly string[] | null;
  /** When the user last proved who they are; `null` if the provider does not say. */
  readonly authenticatedAt: Instant | null;
  /** How (RFC 8176). */
  readonly amr: readonly string[];
  readonly acr: string | null;
}

/** How long a sign-in at the provider may take. */
export const SSO_FLOW_LIFE = 10 * MINUTE;
/** Started and not finished, of all users: they cannot fill the database. */
export const MAX_SSO_FLOWS = 10_000;
/** The clocks of a provider and of Drover may differ by this much. */
export const MAX_SSO_SKEW = MINUTE;

/** What a sign-in at a provider is for: to sign in, to confirm who uses the session, or to link their account. */
export const SSO_PURPOSES = ['sign_in', 'confirm', 'link'] as const;
export type SsoPurpose = (typeof SSO_PURPOSES)[number];

/** A sign-in that waits for the provider's answer. */
export interface SsoFlow {
  readonly provider: string;
  readonly purpose: SsoPurpose;
  /** The path to continue to. */
  readonly next: string;
  readonly startedAt: Instant;
}

/** Classes of OpenID's EAP, Entra and REFEDS that stand for several factors. */
const TWO_FACTOR_CLASSES = ['phr', 'phrh', 'mfa', 'possessionorinherence', 'https://refeds.org/profile/mfa'];

/** Whether the sign-in at the provider counts as two factors. */
export function hasTwoFactors(sign: TwoFactorSign, { amr, acr }: Pick<SsoIdentity, 'amr' | 'acr'>): boolean {
  if (sign !== 'claims') return sign === 'always';
  return amr.includes('mfa') || (acr !== null && TWO_FACTOR_CLASSES.includes(acr.toLowerCase()));
}

/** A name for a new account from what the provider says: an e-mail address loses its domain. */
export function accountName(names: readonly string[], subject: string): string {
  for (const raw of [...names, subject]) {
    const [local = ''] = raw.split('@', 1);
    const name = local
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/[^a-z0-9._+-]/g, '')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, 56);
    if (name !== '') return name;
  }
  return 'user';
}

/** Why a sign-in was refused, as the audit log has it, and what users read. */
export const SSO_REASONS = {
  provider_unreachable: 'The provider cannot be reached',
  provider_unusable: 'The provider does not support what Drover needs',
  issuer_differs: 'The provider has a different issuer',
  secret_refused: 'The provider refused the client ID or client secret',
  flow_unknown: 'This sign-in was already used, took too long, or was started in a different browser',
  denied: 'The provider did not sign you in',
  response_invalid: "The provider's answer does not belong to this sign-in",
  code_refused: 'The provider refused its own code; it may have expired or been used',
  token_invalid: "The provider's token is invalid",
  groups_missing: 'The provider did not say which groups you are in',
  no_role: 'None of your groups has a role in Drover',
  account_disabled: 'Your account is disabled',
  not_recent: 'The provider did not ask you to sign in again',
  other_user: 'You signed in at the provider as a different user',
  already_linked: 'Your account already belongs to a provider',
  break_glass: 'The break-glass administrator signs in with a password only',
  identity_taken: 'This account at the provider already belongs to a different user of Drover',
  throttled: 'There are too many unfinished sign-ins',
} as const;
export type SsoReason = keyof typeof SSO_REASONS;

/** A refused sign-in with single sign-on. */
export class SsoRefusal extends DomainError {
  readonly reason: SsoReason;

  /** `detail`: a sentence that says more. */
  constructor(reason: SsoReason, detail = '', options: { cause?: unknown } = {}) {
    super('sign_in_failed', `${SSO_REASONS[reason]}.${detail === '' ? '' : ` ${detail}`}`, options);
    this.reason = reason;
  }
}
