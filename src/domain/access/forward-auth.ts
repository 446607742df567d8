import { oneLine } from '../base/one-line.ts';
import { type SsoIdentity, SsoRefusal } from './sso-identity.ts';
import type { GroupRole } from './sso-provider.ts';

/** The provider of such sessions: no OpenID provider can have this name. */
export const FORWARD_AUTH = 'forward_auth';
/** The issuer of such identities: no address, as those of OpenID are. */
export const FORWARD_ISSUER = 'forward authentication';

export const DEFAULT_HEADERS = {
  user: 'Remote-User',
  email: 'Remote-Email',
  groups: 'Remote-Groups',
} as const;

/** Users are those that a trusted reverse proxy names in the headers of each request. */
export interface ForwardAuthSettings {
  /** Names of headers. */
  readonly headers: Readonly<Record<keyof typeof DEFAULT_HEADERS, string>>;
  readonly roles: readonly GroupRole[];
  /** The proxy requires two factors. */
  readonly hasTwoFactors: boolean;
  /** Where users sign out of the proxy. */
  readonly signOutUrl: string | null;
}

/** The values of each header, as they came. */
export type ForwardedHeaders = Readonly<Record<keyof typeof DEFAULT_HEADERS, readonly string[]>>;

const MAX_TEXT = 255;
const MAX_GROUPS = 500;

/**
 * Whom the proxy names. Throws `SsoRefusal` for a header that is missing, comes more than once, or is no name: a client may have
 * sent it as well.
 */
export function forwardedIdentity(
  headers: ForwardedHeaders,
  { headers: names }: Pick<ForwardAuthSettings, 'headers'>,
): SsoIdentity {
  const only = (what: keyof ForwardedHeaders): string | null => {
    const [value = null, ...others] = headers[what];
    if (others.length > 0) throw refusal(`The header ${names[what]} came more than once.`);
    return value === null ? null : utf8(value).trim();
  };
  const subject = only('user');
  if (subject === null || subject === '') throw refusal(`The header ${names.user} is missing.`);
  // Proxies join repeated headers with a comma; Caddy 2.6 sends `{placeholder}` for one that the answer did not have.
  // Names that are no UTF-8 would all be read alike.
  if (subject.length > MAX_TEXT || oneLine(subject, MAX_TEXT) !== subject || /[,\s{}\uFFFD]/.test(subject))
    throw refusal(`The header ${names.user} is not one user name.`);
  const email = only('email');
  const groups = only('groups');
  return {
    issuer: FORWARD_ISSUER,
    subject,
    names: [subject, ...(email === null ? [] : [email])],
    groups: groups === null ? null : groupsOf(groups),
    authenticatedAt: null,
    amr: [],
    acr: null,
  };
}

const refusal = (detail: string): SsoRefusal => new SsoRefusal('response_invalid', detail);

/** Authelia separates them with commas, Authentik with `|`. */
const groupsOf = (text: string): readonly string[] =>
  text
    .split(/[,|]/)
    .map((group) => group.trim())
    .filter((group) => group !== '')
    .slice(0, MAX_GROUPS);

/** Node reads headers as Latin-1. */
const utf8 = (text: string): string =>
  new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
