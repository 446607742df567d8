import type { SsoIdentity } from '../../../domain/access/sso-identity.ts';
import { SECOND } from '../../../domain/base/instant.ts';

type Claims = Readonly<Record<string, unknown>>;

const MAX_GROUPS = 2_000;

/** The proven claims in Drover's terms. */
export function identityOf(
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
export function groupsOf(claims: Claims, name: string): readonly string[] | null {
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
