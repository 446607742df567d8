import { type Command, Option } from 'commander';
import { ManageDeliveries } from '../../../../application/events/manage-deliveries.ts';
import { ago } from '../../../../domain/base/spans.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../../../../domain/events/delivery.ts';
import { pageView } from '../../api/views/page-view.ts';
import { deliveryView } from '../../api/views/webhook-view.ts';
import { id, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';

interface ListOptions extends PageOptions {
  readonly status?: DeliveryStatus;
}

/** `of`: the kind of receiver, as its command calls it. */
export function addDeliveryCommands(command: Command, runner: Runner, of: 'webhook' | 'channel'): void {
  withExamples(
    withPage(
      command
        .command('deliveries')
        .description('list deliveries and their results, newest first')
        .argument(
          of === 'webhook' ? '[name]' : '<name>',
          of === 'webhook' ? 'name of the webhook (default: all)' : 'name of the channel',
        )
        .addOption(new Option('--status <status>', 'only these').choices([...DELIVERY_STATUSES])),
      50,
    ).action(
      runner.read((session, name: string | undefined, options: ListOptions) =>
        list(session, { [of]: name }, options),
      ),
    ),
    `drover ${of} deliveries chat --status dead`,
  );
  withExamples(
    command
      .command('resend')
      .description('resend a delivery under the same id')
      .argument('<delivery>', 'id of the delivery', id)
      .action(runner.run(resend)),
    `drover ${of} resend 17`,
  );
}

async function resend(session: Session, deliveryId: number): Promise<Reply> {
  return deliveryReply(
    await session.useCases.get(ManageDeliveries).resend(session.actor, deliveryId, session.signal),
  );
}

async function list(
  session: Session,
  of: { readonly webhook?: string | undefined; readonly channel?: string | undefined },
  options: ListOptions,
): Promise<Reply> {
  const { status, limit, offset } = options;
  const page = await session.useCases.get(ManageDeliveries).list(session.actor, {
    ...of,
    status,
    limit,
    offset,
  });
  const now = session.now();
  const rows = page.items.map((delivery) => [
    delivery.id,
    delivery.event.type,
    delivery.event.title.slice(0, 40),
    ago(delivery.createdAt, now),
    delivery.status,
    delivery.attempts,
    delivery.statusCode ?? '-',
    delivery.durationMs === null ? '-' : `${delivery.durationMs} ms`,
    delivery.error ?? '',
  ]);
  const heading = ['ID', 'EVENT', 'TITLE', 'MADE', 'STATUS', 'TRIES', 'ANSWER', 'TOOK', 'ERROR'];
  return {
    json: { deliveries: page.items.map(deliveryView), ...pageView(page) },
    text: pageText(page, 'Nothing was sent.\n', table(heading, rows)),
  };
}

/** A try that failed ends the command as failed, though the service goes on trying. */
export function deliveryReply(delivery: Delivery): Reply {
  const json = deliveryView(delivery);
  if (delivery.status === 'delivered') {
    const { statusCode, durationMs } = delivery;
    return { json, text: `The receiver accepted it: ${statusCode} after ${durationMs} ms.\n` };
  }
  return { json, text: failureText(delivery), exitCode: EXIT.failed };
}

function failureText({ id: deliveryId, attempts, error, dueAt }: Delivery): string {
  const again = dueAt === null ? '' : ` Drover retries it at ${localTime(dueAt)}.`;
  const what = attempts === 0 ? 'Not sent yet.' : (error ?? 'The receiver did not accept it.');
  return `Delivery ${deliveryId}: ${what}${again}\n`;
}
