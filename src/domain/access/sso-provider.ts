import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import { oneLine } from '../base/one-line.ts';
import { hostOf, webhookUrl } from '../events/webhook.ts';
import { TAG } from '../fleet/server-description.ts';
import { highestRole, isRole, ROLES, type Role, type Roles } from './role.ts';

/**
 * Whether a sign-in at the provider counts as two factors: never, if its token says so (`amr`, `acr`), or always,
 * since the provider requires them.
 */
export const TWO_FACTOR_SIGNS = ['never', 'claims', 'always'] as const;
export type TwoFactorSign = (typeof TWO_FACTOR_SIGNS)[number];

/** A group at the provider, and the role of its members: on all servers, or on those with a tag. */
export interface GroupRole {
  readonly group: string;
  readonly role: Role;
  readonly tag?: string | undefined;
}

/** An OpenID Connect provider that users sign in with. */
export interface SsoProvider {
  readonly id: number;
  /** Part of its redirect URI: it never changes. */
  readonly name: string;
  /** On the button. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Encrypted. */
  readonly sealedSecret: string;
  /** Separated by blanks. */
  readonly scopes: string;
  /** The claim with the user's groups. */
  readonly groupsClaim: string;
  readonly roles: readonly GroupRole[];
  readonly twoFactor: TwoFactorSign;
  /** An administrator allowed loopback and private addresses. */
  readonly allowPrivate: boolean;
  readonly enabled: boolean;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What an administrator decides about a provider, without its secret. */
export type SsoSettings = Pick<
  SsoProvider,
  'label' | 'issuer' | 'clientId' | 'scopes' | 'groupsClaim' | 'roles' | 'twoFactor' | 'allowPrivate'
>;
export type NewSsoProvider = SsoSettings & Pick<SsoProvider, 'name' | 'enabled' | 'createdBy' | 'createdAt'>;
export type SsoProviderChange = Partial<SsoSettings & Pick<SsoProvider, 'sealedSecret' | 'enabled'>>;

/** The provider from the environment has this name; none in the database can. */
export const ENVIRONMENT_PROVIDER = 'env';
export const MAX_PROVIDERS = 20;
export const DEFAULT_SCOPES = 'openid profile email';
export const DEFAULT_GROUPS_CLAIM = 'groups';
const MAX_TEXT = 255;
const MAX_SECRET = 1_024;
const MAX_ROLES = 100;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** As it is entered. Absent: unchanged. */
export interface SsoRequest {
  readonly label?: string | undefined;
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scopes?: string | undefined;
  readonly groupsClaim?: string | undefined;
  /** Lines or commas between `group=role` and `group=role@tag`. */
  readonly roles?: string | undefined;
  readonly twoFactor?: string | undefined;
  readonly allowPrivate?: boolean | undefined;
}

/** Adds to the problems if it is not a valid name. */
export function providerName(raw: string, problems: InputProblem[]): string {
  const name = raw.trim();
  if (!NAME.test(name) || name === ENVIRONMENT_PROVIDER)
    problems.push({
      path: '/name',
      message: `A name has 1 to 32 lower-case letters, digits and -, and is not "${ENVIRONMENT_PROVIDER}".`,
    });
  return name;
}

/** Adds to the problems if it is too long or not one line. */
export function clientSecret(raw: string, problems: InputProblem[]): string {
  const secret = raw.trim();
  if (secret === '' || secret.length > MAX_SECRET || /[\p{Cc}\s]/u.test(secret))
    problems.push({ path: '/client_secret', message: `Enter 1 to ${MAX_SECRET} characters without blanks.` });
  return secret;
}

/** The settings after a change, in Drover's form. Adds to the problems, naming the fields. */
export function ssoSettings(
  request: SsoRequest,
  before: SsoSettings | null,
  problems: InputProblem[],
): SsoSettings {
  const line = (path: string, raw: string | undefined, otherwise: string): string => {
    const value = raw === undefined ? otherwise : raw.trim();
    if (value === '' || value.length > MAX_TEXT || oneLine(value, MAX_TEXT) !== value)
      problems.push({ path, message: `Enter one line of 1 to ${MAX_TEXT} characters.` });
    return value;
  };
  const allowPrivate = request.allowPrivate ?? before?.allowPrivate ?? false;
  const issuer = line('/issuer', request.issuer, before?.issuer ?? '');
  const scopes = line('/scopes', request.scopes || undefined, before?.scopes ?? DEFAULT_SCOPES)
    .split(/\s+/)
    .join(' ');
  if (!/^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(scopes) || !scopes.split(' ').includes('openid'))
    problems.push({ path: '/scopes', message: 'Enter scopes separated by blanks; "openid" is one of them.' });
  problems.push(...issuerProblems(issuer, allowPrivate));
  const twoFactor = request.twoFactor ?? before?.twoFactor ?? 'never';
  const sign = TWO_FACTOR_SIGNS.find((each) => each === twoFactor);
  if (sign === undefined)
    problems.push({ path: '/two_factor', message: `Choose one of ${TWO_FACTOR_SIGNS.join(', ')}.` });
  return {
    label: line('/label', request.label, before?.label ?? ''),
    issuer,
    clientId: line('/client_id', request.clientId, before?.clientId ?? ''),
    scopes,
    groupsClaim: line(
      '/groups_claim',
      request.groupsClaim || undefined,
      before?.groupsClaim ?? DEFAULT_GROUPS_CLAIM,
    ),
    roles: request.roles === undefined ? (before?.roles ?? []) : groupRoles(request.roles, problems),
    twoFactor: sign ?? 'never',
    allowPrivate,
  };
}

/** An issuer is an HTTPS address; plain HTTP stays on this machine. */
function issuerProblems(issuer: string, allowPrivate: boolean): readonly InputProblem[] {
  const path = '/issuer';
  try {
    const url = webhookUrl(issuer, { allowPrivate, path, hint: PRIVATE_HINT });
    if (url.search !== '' || issuer.includes('#'))
      return [{ path, message: 'An issuer has no query and no fragment.' }];
    if (url.protocol === 'http:' && !(allowPrivate && LOOPBACK.includes(hostOf(url))))
      return [{ path, message: 'An issuer starts with https://.' }];
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.problems;
  }
}

const PRIVATE_HINT = '; allow private addresses for this provider if it is in your own network';

/** Adds to the problems if it is no table of groups and roles. */
export function groupRoles(raw: string, problems: InputProblem[]): readonly GroupRole[] {
  const entries = raw
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const wrong = entries.find((entry) => roleOfEntry(entry) === null);
  if (wrong !== undefined || entries.length > MAX_ROLES)
    problems.push({
      path: '/roles',
      message: `Enter at most ${MAX_ROLES} lines GROUP=ROLE or GROUP=ROLE@TAG, with a role of ${ROLES.join(', ')}.`,
    });
  return entries.flatMap((entry) => roleOfEntry(entry) ?? []);
}

/** Names of groups may contain `=`, such as `cn=admins`. */
function roleOfEntry(entry: string): GroupRole | null {
  const at = entry.lastIndexOf('=');
  const group = entry.slice(0, Math.max(at, 0)).trim();
  const [role = '', tag, ...more] = entry
    .slice(at + 1)
    .split('@')
    .map((part) => part.trim());
  if (group === '' || group.length > MAX_TEXT || !isRole(role) || more.length > 0) return null;
  if (tag === undefined) return { group, role };
  return TAG.test(tag) ? { group, role, tag } : null;
}

export const groupRoleText = ({ group, role, tag }: GroupRole): string =>
  `${group}=${role}${tag === undefined ? '' : `@${tag}`}`;

export const rolesText = (roles: readonly GroupRole[]): string => roles.map(groupRoleText).join('\n');

/** The highest role of these groups on all servers, and by each tag; `null`: none of them has a role, so the user has no access. */
export function rolesOfGroups(roles: readonly GroupRole[], groups: readonly string[]): Roles | null {
  const held = roles.filter(({ group }) => groups.includes(group));
  if (held.length === 0) return null;
  const tags = [...new Set(held.flatMap(({ tag }) => tag ?? []))].toSorted();
  const highestBy = (wanted: string | undefined): Role | null =>
    highestRole(held.filter(({ tag }) => tag === wanted).map(({ role }) => role));
  return {
    role: highestBy(undefined),
    tagRoles: tags.map((tag) => ({ tag, role: highestBy(tag) ?? 'viewer' })),
  };
}

export const providerNotFound = (what: string): DomainError =>
  new DomainError('provider_not_found', `There is no sign-in provider ${what}.`);
