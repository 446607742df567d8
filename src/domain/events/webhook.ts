import { DomainError, InvalidInput } from '../base/errors.ts';
import { HOUR, type Instant } from '../base/instant.ts';
import type { EventFilter } from './event-filter.ts';
import { isIpLiteral, outboundFault } from './outbound-address.ts';

/** Set up by an operator, or by variables of the environment. */
export type WebhookOrigin = 'settings' | 'environment';

/** A receiver of events. Its address is as secret as its key: chat services accept anyone who has it. */
export interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly origin: WebhookOrigin;
  readonly sealedUrl: string;
  /** As much of the address as may be shown. */
  readonly shownUrl: string;
  readonly sealedSecret: string;
  /** The previous secret, which also signs until `formerUntil`. */
  readonly sealedFormerSecret: string | null;
  readonly formerUntil: Instant | null;
  readonly filter: EventFilter;
  readonly enabled: boolean;
  /** `gone`: the receiver answered 410. */
  readonly disabledBecause: 'operator' | 'gone' | null;
  readonly disabledAt: Instant | null;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type NewWebhook = Pick<
  Webhook,
  'name' | 'origin' | 'shownUrl' | 'filter' | 'enabled' | 'createdBy' | 'createdAt'
>;

export type WebhookChange = Partial<Omit<Webhook, 'id' | 'origin' | 'createdBy' | 'createdAt' | 'updatedAt'>>;

/** The environment's webhook has this name; no operator can take it. */
export const ENVIRONMENT_NAME = 'environment';

export const MAX_WEBHOOKS = 50;
/** How long the previous secret keeps signing after a rotation, by default. */
export const OVERLAP_MS = 24 * HOUR;
export const MAX_OVERLAP_MS = 30 * 24 * HOUR;
const MAX_URL = 2_048;
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
export const SECRET_BYTES = 32;

interface AddressRules {
  readonly allowPrivate: boolean;
  /** The pointer of the field. */
  readonly path?: string;
  /** What to do about a private address; follows the reason. */
  readonly hint?: string;
}

/** Validates an address; names are resolved only when something is sent. Throws `InvalidInput`. */
export function webhookUrl(raw: string, rules: AddressRules): URL {
  const { allowPrivate, path = '/url', hint = PRIVATE_HINT } = rules;
  const refuse = (message: string): never => {
    throw new InvalidInput([{ path, message }]);
  };
  if (raw.length > MAX_URL || !URL.canParse(raw)) return refuse('Enter a URL that starts with https://.');
  const url = new URL(raw);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('Must start with https:// or http://.');
  if (url.username !== '' || url.password !== '') refuse('A URL must not contain a user name or password.');
  const host = hostOf(url);
  if (isIpLiteral(host)) {
    const fault = outboundFault(host, { allowPrivate });
    if (fault !== null)
      refuse(`${host} ${fault}${outboundFault(host, { allowPrivate: true }) === null ? hint : ''}.`);
  }
  url.hash = '';
  return url;
}

const PRIVATE_HINT = '; SERVICE_WEBHOOK_ALLOW_PRIVATE=1 lets webhooks go to private networks';

/** Without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Its destination, without parts that may be secret. */
export const shownUrlOf = (url: URL): string =>
  url.pathname === '/' && url.search === '' ? `${url.origin}/` : `${url.origin}/…`;

/** Throws `InvalidInput` unless it is `whsec_` and 24 to 64 bytes in base64. */
export function webhookSecret(raw: string): string {
  const bytes = SECRET.test(raw) ? bytesOf(raw) : 0;
  if (bytes >= 24 && bytes <= 64) return raw;
  throw new InvalidInput([
    { path: '/secret', message: 'A webhook secret is "whsec_" followed by 24 to 64 bytes in base64.' },
  ]);
}

function bytesOf(secret: string): number {
  try {
    return atob(secret.slice('whsec_'.length)).length;
  } catch {
    return 0;
  }
}

export const makeWebhookSecret = (randomBytes: (count: number) => Uint8Array): string =>
  `whsec_${btoa(String.fromCharCode(...randomBytes(SECRET_BYTES)))}`;

export const webhookNotFound = (what: string): DomainError =>
  new DomainError('webhook_not_found', `There is no webhook ${what}.`);

/** Those that are sent events. The environment's one counts only while an operator has set up none. */
export const receivers = (webhooks: readonly Webhook[]): readonly Webhook[] => {
  const origin: WebhookOrigin = webhooks.some((each) => each.origin === 'settings')
    ? 'settings'
    : 'environment';
  return webhooks.filter((each) => each.enabled && each.origin === origin);
};

/** Whether a rotated secret still signs. */
export const formerSigns = ({ formerUntil }: Webhook, now: Instant): boolean =>
  formerUntil !== null && formerUntil > now;
