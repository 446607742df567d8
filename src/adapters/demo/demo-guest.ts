import type { Visitor } from '../../application/accounts/sessions.ts';
import { Actor } from '../../domain/actor.ts';
import type { Instant } from '../../domain/instant.ts';
import type { User } from '../../domain/user.ts';

/** Whoever comes to the demonstration: shown everything, and able to do nothing but read. */
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
  },
  actor: new Actor({
    kind: 'user',
    id: user.id,
    name: user.name,
    address,
    capabilities: new Set(['read']),
    features: null,
    serverIds: null,
    requireApproval: false,
    role: user.role,
  }),
});
