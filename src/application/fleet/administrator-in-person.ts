import { isConfirmed } from '../../domain/access/session.ts';
import { DomainError } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { Visitor } from '../access/sessions.ts';

/**
 * Lets an administrator through who sits in front of a page and gave the password a short while ago: no token, no command,
 * no schedule. Throws `role_missing`, `confirmation_needed`.
 */
export function requireAdministratorInPerson({ actor, user, session }: Visitor, now: Instant): void {
  if (actor.kind !== 'user' || actor.id !== user.id) {
    throw new DomainError('role_missing', 'This is for people on the page only.');
  }
  actor.requireRole('administrator');
  if (isConfirmed(session, now)) return;
  throw new DomainError('confirmation_needed', 'Give your password again to go on.');
}
