import type { Command } from 'commander';
import { ManageDeliveries } from '../../../../application/events/manage-deliveries.ts';
import { ManageWebhooks } from '../../../../application/events/manage-webhooks.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { OVERLAP_MS, type Webhook } from '../../../../domain/events/webhook.ts';
import { webhookView } from '../../api/views/webhook-view.ts';
import { withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { eventsText, type FilterOptions, filterOf, withFilter } from '../event-filter.ts';
import { timeSpan } from '../job-options.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { addDeliveryCommands, deliveryReply } from './webhook-delivery.ts';

interface AddOptions extends FilterOptions {
  readonly url?: string;
  readonly secret?: string;
}

interface EditOptions extends FilterOptions {
  readonly name?: string;
  readonly url?: string;
}

const WEBHOOK_ARGUMENT = ['<name>', 'name of the webhook'] as const;

export function addWebhookCommands(program: Command, runner: Runner): void {
  const webhook = program.command('webhook').description('manage webhooks');
  withExamples(
    withFilter(
      webhook
        .command('add')
        .description('add a webhook; its secret is shown only once')
        .argument('<name>', 'name of the webhook')
        .option('--url <address>', 'endpoint URL; prompts if omitted, since it may contain a secret')
        .option('--secret <secret>', 'existing secret of the receiver (default: a new one)'),
    ).action(runner.run(add)),
    'drover webhook add chat --url https://hooks.example.org/drover --events job.failed,backup.stale',
    'drover webhook add pager --url https://pager.example.org/in --min-severity critical',
  );
  webhook
    .command('list')
    .description('list webhooks by name, without their secrets')
    .action(runner.read(list));
  withExamples(
    withFilter(
      webhook
        .command('edit')
        .description('edit a webhook; options you omit stay unchanged')
        .argument(...WEBHOOK_ARGUMENT)
        .option('--name <name>', 'new name')
        .option('--url <address>', 'send to this address'),
    ).action(runner.run(edit)),
    'drover webhook edit chat --events all --min-severity warning',
  );
  withExamples(
    webhook
      .command('rotate')
      .description('create a new secret for a webhook; the previous one stays valid for a while')
      .argument(...WEBHOOK_ARGUMENT)
      .option(
        '--overlap <time>',
        'how long the previous secret stays valid, such as 2h; 0m revokes it immediately',
        timeSpan,
      )
      .action(runner.run(rotate)),
    'drover webhook rotate chat --overlap 2d',
  );
  withExamples(
    webhook
      .command('ping')
      .description('send a test event now, and show the result')
      .argument(...WEBHOOK_ARGUMENT)
      .action(runner.run(ping)),
    'drover webhook ping chat',
  );
  addDeliveryCommands(webhook, runner, 'webhook');
  webhook
    .command('enable')
    .description('enable a webhook')
    .argument(...WEBHOOK_ARGUMENT)
    .action(runner.run((session, name: string) => setEnabled(session, name, true)));
  webhook
    .command('disable')
    .description('disable a webhook; pending deliveries are cancelled')
    .argument(...WEBHOOK_ARGUMENT)
    .action(runner.run((session, name: string) => setEnabled(session, name, false)));
  withYes(
    webhook
      .command('remove')
      .description('delete a webhook and its deliveries')
      .argument(...WEBHOOK_ARGUMENT),
  ).action(runner.run(remove));
}

async function add(session: Session, name: string, options: AddOptions): Promise<Reply> {
  const url = options.url ?? (await askUrl(session));
  const request = { ...filterOf(options), name, url, secret: options.secret };
  const { webhook, secret } = await session.useCases.get(ManageWebhooks).add(session.actor, request);
  return {
    json: { ...webhookView(webhook, session.now()), secret },
    text: `Added the webhook ${name}. Its secret, which is shown only once:\n\n  ${secret}\n\nTry it with: ${shellCommand`drover webhook ping ${name}`}\n`,
  };
}

async function askUrl(session: Session): Promise<string> {
  if (!session.canAsk) throw new UsageError('specify the URL of the receiver with --url.');
  return (await session.io.ask('URL of the receiver: ')).trim();
}

async function list(session: Session): Promise<Reply> {
  const webhooks = await session.useCases.get(ManageWebhooks).list(session.actor);
  const rows = webhooks.map((webhook) => [
    webhook.name,
    webhook.shownUrl,
    eventsText(webhook.filter),
    webhook.filter.minSeverity,
    stateOf(webhook),
  ]);
  const views = webhooks.map((each) => webhookView(each, session.now()));
  return {
    json: { webhooks: views, total: views.length },
    text:
      rows.length === 0
        ? 'There are no webhooks. Add one with: drover webhook add NAME --url ADDRESS\n'
        : table(['NAME', 'ADDRESS', 'EVENTS', 'FROM', 'STATE'], rows),
  };
}

async function edit(session: Session, name: string, options: EditOptions): Promise<Reply> {
  const manageWebhooks = session.useCases.get(ManageWebhooks);
  const change = { ...filterOf(options), name: options.name, url: options.url };
  if (Object.values(change).every((each) => each === undefined))
    throw new UsageError('specify what to change; see drover webhook edit --help.');
  const webhook = await manageWebhooks.edit(session.actor, name, change);
  const { filter, shownUrl } = webhook;
  return {
    json: webhookView(webhook, session.now()),
    text: `${webhook.name} goes to ${shownUrl}: ${eventsText(filter)}, from ${filter.minSeverity} up.\n`,
  };
}

async function rotate(session: Session, name: string, options: { overlap?: number }): Promise<Reply> {
  const manageWebhooks = session.useCases.get(ManageWebhooks);
  const overlap = options.overlap ?? OVERLAP_MS;
  const { webhook, secret } = await manageWebhooks.rotate(session.actor, name, overlap);
  const until =
    webhook.formerUntil === null
      ? 'The previous one is no longer valid.'
      : `The previous one stays valid until ${localTime(webhook.formerUntil)}.`;
  return {
    json: { ...webhookView(webhook, session.now()), secret },
    text: `${name} has a new secret, which is shown only once:\n\n  ${secret}\n\n${until}\n`,
  };
}

async function setEnabled(session: Session, name: string, enabled: boolean): Promise<Reply> {
  const webhook = await session.useCases.get(ManageWebhooks).setEnabled(session.actor, name, enabled);
  const text = enabled ? `Events go to ${name} again.\n` : `Disabled ${name}.\n`;
  return { json: webhookView(webhook, session.now()), text };
}

async function ping(session: Session, name: string): Promise<Reply> {
  const deliveries = session.useCases.get(ManageDeliveries);
  return deliveryReply(await deliveries.ping(session.actor, name, session.signal));
}

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  await confirmed(session, options, `Delete the webhook ${name} and its deliveries?`);
  const { id } = await session.useCases.get(ManageWebhooks).remove(session.actor, name);
  return { json: { ok: true, id, name }, text: `Deleted the webhook ${name}.\n` };
}

function stateOf({ enabled, disabledBecause, origin }: Webhook): string {
  if (!enabled) return disabledBecause === 'gone' ? 'off: its receiver answered 410 Gone' : 'off';
  return origin === 'environment' ? 'on, unless another webhook exists' : 'on';
}
