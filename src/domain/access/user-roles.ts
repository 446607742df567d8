import type { InputProblem } from '../base/errors.ts';
import { TAG, TAG_RULE } from '../fleet/server-description.ts';
import { highestRole, isRole, ROLES, type Role, type Roles, type TagRole } from './role.ts';
import { NO_ROLE, type User } from './user.ts';

const MAX_TAG_ROLES = 50;

/** With this role in place of another one for the tag; without a role: with none. Adds to the problems. */
export function withTagRole(
  before: readonly TagRole[],
  tag: string,
  role: Role | null,
  problems: InputProblem[],
): readonly TagRole[] {
  const others = before.filter((each) => each.tag !== tag);
  if (!TAG.test(tag)) problems.push({ path: '/tag', message: TAG_RULE });
  if (role === null) return others;
  if (others.length >= MAX_TAG_ROLES)
    problems.push({ path: '/tag', message: `A user has roles on at most ${MAX_TAG_ROLES} tags.` });
  return [...others, { tag, role }].toSorted((one, other) => (one.tag < other.tag ? -1 : 1));
}

export function tagRole(raw: string, problems: InputProblem[]): Role | null {
  if (isRole(raw)) return raw;
  problems.push({ path: '/role', message: `A role is one of ${ROLES.join(', ')}.` });
  return null;
}

export const areSameRoles = (one: Roles, other: Roles): boolean => roleSummary(one) === roleSummary(other);

/** The highest role, wherever it applies. */
export const topRole = ({ role, tagRoles }: Roles): Role | null =>
  highestRole([role, ...tagRoles.map((each) => each.role)]);

/** Of those who hold a tag's role, on servers with these tags. */
export const roleByTags = (tagRoles: readonly TagRole[], tags: readonly string[]): Role | null =>
  highestRole(tagRoles.filter(({ tag }) => tags.includes(tag)).map(({ role }) => role));

/** On this server; `null` for the server: on all of them. */
export const roleOn = (
  { role, serverRoles }: Pick<User, 'role' | 'serverRoles'>,
  serverId: number | null,
): Role | null => (serverId === null ? role : highestRole([role, serverRoles.get(serverId) ?? null]));

/** Such as `viewer, operator on web`. */
export function roleSummary({ role, tagRoles }: Roles): string {
  const onTags = tagRoles.map((each) => `${each.role} on ${each.tag}`);
  return role === null && onTags.length > 0 ? onTags.join(', ') : [role ?? NO_ROLE, ...onTags].join(', ');
}
