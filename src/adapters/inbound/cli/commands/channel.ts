import { type Command, InvalidArgumentError, Option } from 'commander';
import { ManageChannels } from '../../../../application/events/manage-channels.ts';
import { ManageDeliveries } from '../../../../application/events/manage-deliveries.ts';
import { WeeklyReports } from '../../../../application/events/weekly-reports.ts';
import { toIso } from '../../../../domain/base/instant.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import type { AlertChannel } from '../../../../domain/events/channels/alert-channel.ts';
import {
  CHANNEL_KIND_NAMES,
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelKindName,
  sendsEvents,
} from '../../../../domain/events/channels/channel-kinds.ts';
import { reportText, timingText } from '../../../../domain/events/channels/channel-timing.ts';
import { withExamples } from '../arguments.ts';
import { type TimingOptions, timingOf, timingView, withTiming } from '../channel-timing.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { eventsText, type FilterOptions, filterOf, withFilter } from '../event-filter.ts';
import type { Runner } from '../runner.ts';
import { secretOf } from '../secret-option.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { addDeliveryCommands, deliveryReply } from './webhook-delivery.ts';

/** Without its secrets. */
const channelView = (channel: AlertChannel): object => ({
  id: channel.id,
  name: channel.name,
  kind: channel.kind,
  sends_to: channel.shownTarget,
  fields: channel.fields,
  events: channel.filter.events,
  min_severity: channel.filter.minSeverity,
  tags: channel.filter.tags,
  ...timingView(channel),
  allow_private: channel.allowPrivate,
  enabled: channel.enabled,
  created_by: channel.createdBy,
  created_at: toIso(channel.createdAt),
  updated_at: toIso(channel.updatedAt),
});

type Values = Readonly<Record<string, string>>;

interface ValueOptions extends FilterOptions, TimingOptions {
  readonly set?: Values;
  readonly setFile?: Values;
  readonly allowPrivate?: boolean;
}

interface AddOptions extends ValueOptions {
  readonly kind: ChannelKindName;
}

interface EditOptions extends ValueOptions {
  readonly name?: string;
}

const CHANNEL_ARGUMENT = ['<name>', 'name of the channel'] as const;

/** The fields of each kind, secrets with a star. */
const FIELDS = CHANNEL_KIND_NAMES.map((name) => {
  const fields = CHANNEL_KINDS[name].fields.map(
    ({ name: field, secret, optional }) => `${field}${secret ? '*' : ''}${optional ? '?' : ''}`,
  );
  return `  ${name.padEnd(10)} ${fields.join(', ')}`;
}).join('\n');

const HELP = `\nFields of each kind (* secret, ? optional):\n${FIELDS}\n\nDrover prompts for required secrets that you do not give. They are stored encrypted and never shown again.`;

export function addChannelCommands(program: Command, runner: Runner): void {
  const channel = program
    .command('channel')
    .description('manage alert channels: e-mail, chats, push notifications, heartbeats, Home Assistant');
  withExamples(
    withValues(
      channel
        .command('add')
        .description('add a channel')
        .argument('<name>', 'name of the channel')
        .addOption(
          new Option('--kind <kind>', 'kind of channel')
            .choices([...CHANNEL_KIND_NAMES])
            .makeOptionMandatory(),
        ),
    )
      .addHelpText('after', HELP)
      .action(runner.run(add)),
    'drover channel add phone --kind ntfy --min-severity warning',
    'drover channel add mail --kind email --set host=smtp.example.org --set login=drover --set from=drover@example.org --set to=ops@example.org --set-file password=./password',
    'drover channel add ops --kind telegram --set chat=-1001234567890 --set-file token=./bot-token',
    'drover channel add pulse --kind heartbeat --set minutes=5',
    'drover channel add home --kind gotify --set server=https://gotify.lan --allow-private',
    'drover channel add hass --kind mqtt --set host=mqtt.lan --set login=drover --set-file password=./password --set-file token=./token --allow-private',
  );
  channel
    .command('list')
    .description('list channels by name, without their secrets')
    .action(runner.read(list));
  withExamples(
    withValues(
      channel
        .command('edit')
        .description('edit a channel; what you omit stays unchanged')
        .argument(...CHANNEL_ARGUMENT)
        .option('--name <name>', 'new name'),
    )
      .option('--no-allow-private', 'refuse private addresses for this channel')
      .addHelpText('after', HELP)
      .action(runner.run(edit)),
    'drover channel edit phone --events job.failed,backup.stale --tags production',
    'drover channel edit phone --quiet 22:00-07:00 --report monday --time-zone Europe/Berlin',
  );
  withExamples(
    channel
      .command('test')
      .description('send a test message now, and show the result')
      .argument(...CHANNEL_ARGUMENT)
      .action(runner.run(test)),
    'drover channel test phone',
  );
  channel
    .command('report')
    .description('show the weekly report as it would be sent now')
    .argument(...CHANNEL_ARGUMENT)
    .action(runner.run(report));
  addDeliveryCommands(channel, runner, 'channel');
  channel
    .command('enable')
    .description('enable a channel')
    .argument(...CHANNEL_ARGUMENT)
    .action(runner.run((session, name: string) => setEnabled(session, name, true)));
  channel
    .command('disable')
    .description('disable a channel; pending deliveries are cancelled')
    .argument(...CHANNEL_ARGUMENT)
    .action(runner.run((session, name: string) => setEnabled(session, name, false)));
  withYes(
    channel
      .command('remove')
      .description('delete a channel and its deliveries')
      .argument(...CHANNEL_ARGUMENT),
  ).action(runner.run(remove));
}

const withValues = (command: Command): Command =>
  withTiming(
    withFilter(
      command
        .option('--set <field=value>', 'set a field that is no secret; can be given several times', pair)
        .option('--set-file <field=file>', 'set a secret from a file; - for standard input', pair)
        .option('--allow-private', 'allow loopback and private addresses for this channel'),
    ),
  );

function pair(raw: string, before: Values | undefined): Values {
  const [, name, value] = /^([a-z_]{1,40})=(.*)$/s.exec(raw) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write FIELD=VALUE.');
  return { ...before, [name]: value };
}

/** The values of options; secrets come from files and prompts, since everyone on the machine can read a command line. */
async function valuesOf(
  session: Session,
  kind: ChannelKindName,
  { set = {}, setFile = {} }: ValueOptions,
  asks: boolean,
): Promise<Values> {
  const { fields } = CHANNEL_KINDS[kind];
  const values: Record<string, string> = { ...set };
  for (const { name, label, secret, optional } of fields) {
    if (secret && set[name] !== undefined)
      throw new UsageError(`${name} is a secret: use --set-file ${name}=FILE, or enter it when asked.`);
    const file = setFile[name];
    if (file !== undefined || (asks && secret && !optional))
      values[name] = await secretOf(session, file, `${label}: `, `--set-file ${name}=FILE`);
  }
  const unknown = Object.keys(setFile).find((name) => !fields.some((field) => field.name === name));
  return unknown === undefined ? values : { ...values, [unknown]: '' };
}

async function add(session: Session, name: string, options: AddOptions): Promise<Reply> {
  const { kind, allowPrivate } = options;
  const values = await valuesOf(session, kind, options, true);
  const request = { ...filterOf(options), ...timingOf(options), name, kind, values, allowPrivate };
  const added = await session.useCases.get(ManageChannels).add(session.actor, request);
  return {
    json: channelView(added),
    text: `Added the channel ${name} (${CHANNEL_KINDS[kind].title}).\nTry it with: ${shellCommand`drover channel test ${name}`}\n`,
  };
}

async function list(session: Session): Promise<Reply> {
  const channels = await session.useCases.get(ManageChannels).list(session.actor);
  const rows = channels.map(({ name, kind, shownTarget, filter, enabled }) => [
    name,
    CHANNEL_KINDS[kind].title,
    shownTarget,
    ...(sendsEvents(CHANNEL_KINDS[kind]) ? [eventsText(filter), filter.minSeverity] : ['none', '-']),
    enabled ? 'on' : 'off',
  ]);
  return {
    json: { channels: channels.map(channelView), total: channels.length },
    text:
      rows.length === 0
        ? 'There are no channels. Add one with: drover channel add NAME --kind KIND\n'
        : table(['NAME', 'KIND', 'SENDS TO', 'EVENTS', 'FROM', 'STATE'], rows),
  };
}

async function edit(session: Session, name: string, options: EditOptions): Promise<Reply> {
  const manageChannels = session.useCases.get(ManageChannels);
  const { kind } = await manageChannels.find(session.actor, name);
  const described: ChannelKind = CHANNEL_KINDS[kind];
  const values = await valuesOf(session, kind, options, false);
  const { allowPrivate } = options;
  const change = { ...filterOf(options), ...timingOf(options), name: options.name, allowPrivate };
  if (Object.keys(values).length === 0 && Object.values(change).every((each) => each === undefined))
    throw new UsageError('say what is to change; see drover channel edit --help.');
  const channel = await manageChannels.edit(session.actor, name, { ...change, values });
  const { filter, shownTarget, timing } = channel;
  return {
    json: channelView(channel),
    text: sendsEvents(described)
      ? `${channel.name} sends to ${shownTarget}: ${eventsText(filter)}, from ${filter.minSeverity} up. Messages: ${timingText(timing)}. Weekly report: ${reportText(timing)}.\n`
      : `${channel.name} uses ${shownTarget}. Events: ${described.noEvents}.\n`,
  };
}

async function test(session: Session, name: string): Promise<Reply> {
  const deliveries = session.useCases.get(ManageDeliveries);
  return deliveryReply(await deliveries.pingChannel(session.actor, name, session.signal));
}

async function report(session: Session, name: string): Promise<Reply> {
  const { title, message } = await session.useCases.get(WeeklyReports).preview(session.actor, name);
  return { json: { title, message }, text: `${title}\n\n${message}\n` };
}

async function setEnabled(session: Session, name: string, enabled: boolean): Promise<Reply> {
  const channel = await session.useCases.get(ManageChannels).setEnabled(session.actor, name, enabled);
  return { json: channelView(channel), text: `${enabled ? 'Enabled' : 'Disabled'} ${name}.\n` };
}

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Delete the channel ${name} and its deliveries?`);
  const { id } = await session.useCases.get(ManageChannels).remove(session.actor, name);
  return { json: { ok: true, id, name }, text: `Deleted the channel ${name}.\n` };
}
