import { type Command, Option } from 'commander';
import { ListNotifications } from '../../../../application/events/list-notifications.ts';
import { ManageAlerts } from '../../../../application/events/manage-alerts.ts';
import { SECOND, toIso } from '../../../../domain/base/instant.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { ago, duration } from '../../../../domain/base/spans.ts';
import type { AlertPolicy } from '../../../../domain/events/alert-policy.ts';
import { SEVERITIES, type Severity } from '../../../../domain/events/event.ts';
import {
  NOTIFICATION_KINDS,
  NOTIFICATION_STATES,
  type Notification,
  type NotificationKind,
} from '../../../../domain/events/notification.ts';
import { severitiesOf } from '../../../../domain/events/notification-words.ts';
import { notificationView } from '../../api/views/notification-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { id, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { UsageError } from '../errors.ts';
import { findServer } from '../find-server.ts';
import { timeSpan } from '../job-options.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';

interface ListOptions extends PageOptions {
  readonly state?: (typeof NOTIFICATION_STATES)[number];
  readonly kind?: NotificationKind;
  readonly minSeverity?: Severity;
  readonly server?: string;
}

interface MuteOptions {
  readonly kind?: NotificationKind;
  readonly server?: string;
  readonly for?: number;
}

const kindOption = (): Option =>
  new Option('--kind <kind>', 'this kind of alert').choices([...NOTIFICATION_KINDS]);
const SERVER = ['--server <server>', 'alerts about this server, by id or name'] as const;

export function addAlertCommands(program: Command, runner: Runner): void {
  const alert = program.command('alert').description('list, acknowledge and mute alerts');
  withExamples(
    withPage(
      alert
        .command('list')
        .description('list alerts, newest first; resolved ones only with --state')
        .addOption(new Option('--state <state>', 'only these').choices([...NOTIFICATION_STATES]))
        .addOption(kindOption())
        .addOption(new Option('--min-severity <severity>', 'minimum severity').choices([...SEVERITIES]))
        .option(...SERVER),
      50,
    ).action(runner.read(list)),
    'drover alert list --min-severity warning',
  );
  withExamples(
    alert
      .command('ack')
      .description('acknowledge an alert and stop its reminders')
      .argument('<id>', 'id of the alert', id)
      .action(runner.run(acknowledge)),
    'drover alert ack 12',
  );
  withExamples(
    alert
      .command('mute')
      .description('mute alerts by kind, by server, or both')
      .addOption(kindOption())
      .option(...SERVER)
      .option('--for <time>', 'duration, such as 8h or 3d (default: until you remove the mute)', timeSpan)
      .action(runner.run(mute)),
    'drover alert mute --server web-1 --for 8h',
    'drover alert mute --kind updates.available',
  );
  alert.command('mutes').description('list mutes').action(runner.run(mutes));
  withExamples(
    alert
      .command('unmute')
      .description('remove a mute')
      .argument('<id>', 'id of the mute', id)
      .action(runner.run(unmute)),
    'drover alert unmute 3',
  );
  addPolicyCommand(alert, runner);
}

async function list(session: Session, options: ListOptions): Promise<Reply> {
  const { state, kind, minSeverity, limit, offset } = options;
  const server = options.server === undefined ? undefined : await findServer(session, options.server);
  const filter = {
    states: state === undefined ? (['open', 'acknowledged'] as const) : [state],
    ...(kind && { kind }),
    ...(minSeverity && { minSeverity }),
    ...(server && { serverId: server.id }),
  };
  const page = await session.useCases
    .get(ListNotifications)
    .execute(session.actor, filter, { limit, offset });
  const now = session.now();
  const rows = page.items.map((each) => [
    each.id,
    each.severity,
    each.title,
    ago(each.beganAt, now),
    stateOf(each),
  ]);
  return {
    json: { notifications: page.items.map(notificationView), ...pageView(page) },
    text: pageText(
      page,
      `No ${state ?? 'open'} alerts.\n`,
      table(['ID', 'SEVERITY', 'ALERT', 'SINCE', 'STATE'], rows),
    ),
  };
}

async function acknowledge(session: Session, notificationId: number): Promise<Reply> {
  const known = await session.useCases.get(ManageAlerts).acknowledge(session.actor, notificationId);
  return { json: notificationView(known), text: `Acknowledged: ${known.title}. Reminders stop.\n` };
}

async function mute(session: Session, options: MuteOptions): Promise<Reply> {
  if (options.kind === undefined && options.server === undefined)
    throw new UsageError('specify what to mute: --kind, --server, or both.');
  const server = options.server === undefined ? null : await findServer(session, options.server);
  const made = await session.useCases.get(ManageAlerts).mute(session.actor, {
    kind: options.kind ?? null,
    serverId: server?.id ?? null,
    until: options.for === undefined ? null : session.now() + options.for,
  });
  const { kind, until } = made;
  const what = `${kind ?? 'anything'}${server ? ` about ${server.name}` : ''}`;
  const how =
    until === null ? `until: ${shellCommand`drover alert unmute ${made.id}`}` : `until ${localTime(until)}`;
  return { json: muteView(made), text: `Muted ${what} ${how}\n` };
}

async function mutes(session: Session): Promise<Reply> {
  const all = await session.useCases.get(ManageAlerts).mutes(session.actor);
  const rows = all.map((each) => [
    each.id,
    each.kind ?? 'any',
    each.serverId ?? 'any',
    each.until === null ? 'you remove it' : localTime(each.until),
    each.createdBy,
  ]);
  return {
    json: { mutes: all.map(muteView), total: all.length },
    text: rows.length === 0 ? 'Nothing is muted.\n' : table(['ID', 'KIND', 'SERVER', 'UNTIL', 'BY'], rows),
  };
}

async function unmute(session: Session, muteId: number): Promise<Reply> {
  await session.useCases.get(ManageAlerts).unmute(session.actor, muteId);
  return {
    json: { ok: true, id: muteId },
    text: 'Alerts that are still open are sent again within a minute.\n',
  };
}

type Mute = Awaited<ReturnType<ManageAlerts['mute']>>;

const muteView = ({ id: muteId, kind, serverId, until, createdBy, createdAt }: Mute) => ({
  id: muteId,
  kind,
  server_id: serverId,
  until: until === null ? null : toIso(until),
  created_by: createdBy,
  created_at: toIso(createdAt),
});

const stateOf = ({ state, muted, acknowledgedBy }: Notification): string =>
  [state, ...(acknowledgedBy === null ? [] : [`by ${acknowledgedBy}`]), ...(muted ? ['(muted)'] : [])].join(
    ' ',
  );

interface Options {
  readonly debounce?: number;
  readonly remind?: number | 'never';
  readonly severity?: Severity | 'own';
}

function addPolicyCommand(alert: Command, runner: Runner): void {
  withExamples(
    alert
      .command('policy')
      .description('show the alert rules, or change one for new alerts')
      .argument('[kind]', 'the kind to change')
      .option('--debounce <time>', 'how long a problem must last before the alert opens: 0m, 30m', timeSpan)
      .option('--remind <time>', 'interval between reminders: 12h, never', (raw) =>
        raw === 'never' ? raw : timeSpan(raw),
      )
      .addOption(
        new Option('--severity <severity>', 'severity of its alerts; own: the default of this kind').choices([
          ...SEVERITIES,
          'own',
        ]),
      )
      .action(runner.run(policy)),
    'drover alert policy',
    'drover alert policy server.unreachable --debounce 1h --remind 12h',
  );
}

async function policy(session: Session, kind: string | undefined, options: Options): Promise<Reply> {
  const manageAlerts = session.useCases.get(ManageAlerts);
  const asksForChange = Object.values(options).some((each) => each !== undefined);
  if (kind === undefined) {
    if (asksForChange) throw new UsageError('specify the kind to change.');
    return reply(await manageAlerts.policies());
  }
  if (!asksForChange) throw new UsageError('specify what to change; see drover alert policy --help.');
  const changed = await manageAlerts.setPolicy(session.actor, kind, {
    debounceMs: options.debounce,
    remindMs: options.remind === 'never' ? null : options.remind,
    severity: options.severity === 'own' ? null : options.severity,
  });
  return { ...reply([changed]), json: policyView(changed) };
}

function reply(policies: readonly AlertPolicy[]): Reply {
  const rows = policies.map(({ kind, debounceMs, remindMs, severity }) => [
    kind,
    debounceMs === 0 ? 'at once' : `after ${duration(debounceMs)}`,
    remindMs === null ? 'never' : `after ${duration(remindMs)}`,
    severity ?? severitiesOf(kind).join(' or '),
  ]);
  return {
    json: { policies: policies.map(policyView), total: policies.length },
    text: table(['KIND', 'SENT', 'REPEATED', 'SEVERITY'], rows),
  };
}

const policyView = ({ kind, debounceMs, remindMs, severity }: AlertPolicy) => ({
  kind,
  debounce_seconds: debounceMs / SECOND,
  remind_seconds: remindMs === null ? null : remindMs / SECOND,
  severity,
});
