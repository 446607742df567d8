import type { User } from '../../domain/access/user.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import { GUEST } from './demo-guest.ts';
import { ANN, DEMO_ZONE, type DemoPorts } from './demo-ports.ts';
import { seedTemplates } from './demo-templates.ts';

/** The settings of the demo's servers. */
export interface DemoSettings {
  readonly guest: User;
  readonly sshKeyId: number;
  readonly repositoryId: number;
}

/** No password matches it: the demo has no sign-in. */
const NO_HASH = '-';

/** Users, keys, receivers and rules, each created some weeks ago the way a user would. */
export async function seedSettings(ports: DemoPorts, now: Instant): Promise<DemoSettings> {
  const { clock, users } = ports;
  clock.setTo(now - 90 * DAY);
  const { id } = await users.add(
    { name: GUEST, role: 'administrator', createdBy: 'the demonstration', createdAt: clock.now() },
    () => ({}),
  );
  const guest = await users.change(id, { passwordHash: NO_HASH }, () => ({}));
  await users.touch(id, now);
  await people(ports, now);
  clock.setTo(now - 88 * DAY);
  const key = await ports.manageKeys.create(ANN, 'fleet');
  await ports.manageKeys.create(ANN, 'branch-offices');
  const repository = await ports.manageRepositories.add(ANN, {
    name: 'offsite',
    url: 's3:https://s3.example.org/drover-backups',
    secrets: { password: crypto.randomUUID(), login: { name: 'drover', secret: crypto.randomUUID() } },
  });
  await ports.repositories.markInitialised(repository.id, now - 87 * DAY);
  await ports.manageRepositories.add(ANN, {
    name: 'attic',
    url: 'sftp:backup@attic.example.org:/srv/restic',
    secrets: { password: crypto.randomUUID(), login: null },
  });
  await receivers(ports, now);
  await windows(ports);
  await policies(ports, now);
  await seedTemplates(ports, now);
  return { guest, sshKeyId: key.id, repositoryId: repository.id };
}

/** One of them has not taken the invitation up. */
async function people({ clock, manageUsers, users }: DemoPorts, now: Instant): Promise<void> {
  for (const [name, role, seen] of [
    ['ann', 'administrator', now - DAY / 12],
    ['bert', 'operator', now - 3 * DAY],
  ] as const) {
    const { user } = await manageUsers.invite(ANN, { name, role });
    await users.change(user.id, { passwordHash: NO_HASH }, () => ({}));
    await users.touch(user.id, seen);
  }
  clock.setTo(now - DAY / 2);
  const { user: cleo } = await manageUsers.invite(ANN, { name: 'cleo', role: 'viewer' });
  await manageUsers.setTagRole(ANN, cleo, 'staging', 'operator');
}

async function receivers(
  { clock, manageWebhooks, manageChannels, manageAlerts, manageSso }: DemoPorts,
  now: Instant,
): Promise<void> {
  clock.setTo(now - 60 * DAY);
  await manageChannels.add(ANN, {
    name: 'phone',
    kind: 'ntfy',
    values: { topic: 'drover-demo' },
    minSeverity: 'critical',
  });
  await manageSso.add(ANN, {
    name: 'company',
    label: 'Company account',
    issuer: 'https://auth.example.org',
    clientId: 'drover',
    clientSecret: 'not-a-secret',
    roles: 'drover-admins=administrator\noperations=operator\nstaff=viewer',
    twoFactor: 'claims',
  });
  // The demo connects to no provider.
  await manageSso.setEnabled(ANN, 'company', false);
  await manageWebhooks.add(ANN, {
    name: 'chat',
    url: 'https://chat.example.org/hooks/operations',
    minSeverity: 'warning',
  });
  await manageWebhooks.add(ANN, {
    name: 'pager',
    url: 'https://pager.example.org/v2/events',
    minSeverity: 'critical',
  });
  await manageAlerts.setPolicy(ANN, 'server.reboot_pending', { debounceMs: DAY });
}

async function windows({ manageWindows }: DemoPorts): Promise<void> {
  await manageWindows.add(ANN, {
    name: 'sunday-night',
    selector: { tags: ['database', 'mail'] },
    opens: { expression: '0 2 * * 0', timeZone: DEMO_ZONE },
    durationMs: DAY / 6,
  });
  await manageWindows.add(ANN, {
    name: 'office-evenings',
    selector: { tags: ['office', 'branch'] },
    opens: { expression: '0 20 * * 1-5', timeZone: DEMO_ZONE },
    durationMs: DAY / 8,
  });
}

async function policies({ patchPolicies }: DemoPorts, now: Instant): Promise<void> {
  await patchPolicies.add(ANN, { name: 'careful', selector: { all: true } });
  await patchPolicies.add(ANN, {
    name: 'databases',
    selector: { tags: ['database'] },
    securityOnly: true,
    rebootIfNeeded: true,
    exclusions: [{ kind: 'image', pattern: 'postgres', reason: 'Needs a dump first', until: now + 30 * DAY }],
  });
}
