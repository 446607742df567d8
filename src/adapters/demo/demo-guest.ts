import type { Visitor } from '../../application/access/sessions.ts';
import { Actor } from '../../domain/access/actor.ts';
import type { Capability } from '../../domain/access/scope.ts';
import type { User } from '../../domain/access/user.ts';
import type { Instant } from '../../domain/base/instant.ts';

/** The user of the demo: sees everything, including all forms. Form submissions are refused by the web interface. */
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
