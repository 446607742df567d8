import type { Visitor } from '../../application/access/sessions.ts';
import { Actor } from '../../domain/access/actor.ts';
import type { Capability } from '../../domain/access/scope.ts';
import type { User } from '../../domain/access/user.ts';
import type { Instant } from '../../domain/base/instant.ts';

/** The visitor's own account and session, which do not exist. */
const OWN_ACCOUNT = /^\/(?:account|sign-in|sign-out|code|confirm|welcome)(?:\/|$)/;
/** These settings send something, to a browser, a repository or a provider. */
const SENDING = ['/test', '/check'];
/** The demo has these receivers. */
const RECEIVERS = '/settings/alerts/channels/';

/** Whether the demo simulates what a form does: all that is in its own database. */
export const isSimulated = (path: string): boolean =>
  !OWN_ACCOUNT.test(path) &&
  !(
    path.startsWith('/settings/') &&
    path !== '/settings/tokens/test' &&
    !path.startsWith(RECEIVERS) &&
    SENDING.some((end) => path.endsWith(end))
  );

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
