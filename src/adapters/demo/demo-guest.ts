import type { Visitor } from '../../application/access/sessions.ts';
import type { AuditLog } from '../../application/ports/events/audit-log.ts';
import { Actor } from '../../domain/access/actor.ts';
import type { Capability } from '../../domain/access/scope.ts';
import type { User } from '../../domain/access/user.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { AuditEntry } from '../../domain/events/audit-entry.ts';

/** The name of the user of all visitors. */
export const GUEST = 'guest';

/** The visitor's own account and session, which do not exist. */
const OWN_ACCOUNT = /^\/(?:account|sign-in|sign-out|code|confirm|welcome)(?:\/|$)/;

/** Whether the demo simulates what a form does: all that is in its own database. */
export const isSimulated = (path: string): boolean => !OWN_ACCOUNT.test(path);

/** Whether a visitor needs a copy of the demo for it: the theme is in a cookie. */
export const needsCopy = (path: string): boolean =>
  isSimulated(path) && !path.startsWith('/settings/appearance');

/** The user of the demo, who may do everything that the demo simulates. */
export const demoGuest = (user: User, address: string, now: Instant): Visitor => ({
  user,
  session: {
    id: 0,
    userId: user.id,
    stage: 'full',
    createdAt: now,
    seenAt: now,
    confirmedAt: now,
    address,
    agent: '',
    deviceId: null,
    provider: null,
    hasTwoFactors: false,
  },
  mustSetUpTwoFactor: false,
  actor: new Actor({
    kind: 'user',
    id: user.id,
    name: user.name,
    address,
    capabilities: new Set<Capability>(['read', 'jobs', 'edit', 'files']),
    features: null,
    serverIds: null,
    requireApproval: false,
    role: user.role,
    passwordConfirmed: true,
  }),
});

/** What visitors read in the shared demo is of no interest to the others, nor is their address. */
export function withoutGuests(log: AuditLog): AuditLog {
  const isKept = ({ actorKind, actorName }: AuditEntry): boolean =>
    actorKind !== 'user' || actorName !== GUEST;
  return {
    record: async (entry) => (isKept(entry) ? log.record(entry) : undefined),
    recordAll: (entries) => log.recordAll(entries.filter(isKept)),
    list: (...query) => log.list(...query),
    after: (...query) => log.after(...query),
  };
}
