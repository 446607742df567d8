import { type Command, Option } from 'commander';
import { CancelBatch } from '../../../../application/automation/cancel-batch.ts';
import { GetBatch, ListBatches } from '../../../../application/automation/get-batch.ts';
import {
  BATCH_STATUSES,
  type BatchStatus,
  MEMBER_STATUSES,
  type MemberStatus,
} from '../../../../domain/automation/batch.ts';
import { batchMemberView, batchView, orderWaitView } from '../../api/views/batch-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { id, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { BATCH_HEADING, batchRow, batchText, countsText } from '../batch-text.ts';
import { selectorWords } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { moreOf, pageText } from '../words.ts';

interface ListOptions extends PageOptions {
  readonly status?: BatchStatus;
}

interface ShowOptions extends PageOptions {
  readonly status?: MemberStatus;
}

export function addBatchCommands(program: Command, runner: Runner): void {
  const batch = program
    .command('batch')
    .description('list, show and cancel jobs on many servers (start one with drover job start --tag …)');
  withExamples(
    withPage(
      batch
        .command('list')
        .description('list batches, newest first')
        .addOption(new Option('--status <status>', 'in this state only').choices(BATCH_STATUSES)),
      50,
    ).action(runner.read(list)),
    'drover batch list --status running',
  );
  withExamples(
    withPage(
      batch
        .command('show')
        .description('show a batch with the state of each server')
        .argument('<id>', 'id of the batch', id)
        .addOption(new Option('--status <status>', 'only servers in this state').choices(MEMBER_STATUSES)),
      100,
    ).action(runner.run(show)),
    'drover batch show 3',
    'drover batch show 3 --status failed',
  );
  batch
    .command('cancel')
    .description('cancel a batch: start no more jobs, and ask running ones to stop when it is safe')
    .argument('<id>', 'id of the batch', id)
    .action(runner.run(cancel));
}

async function list(session: Session, { status, limit, offset }: ListOptions): Promise<Reply> {
  const page = await session.useCases.get(ListBatches).execute(session.actor, { status, limit, offset });
  const words = await selectorWords(
    session,
    page.items.map(({ selector }) => selector),
  );
  const rows = page.items.map((batch) => batchRow(batch, session.now(), words));
  return {
    json: { batches: page.items.map(batchView), ...pageView(page) },
    text: pageText(page, 'No batches found.\n', table(BATCH_HEADING, rows)),
  };
}

async function show(session: Session, batchId: number, options: ShowOptions): Promise<Reply> {
  const { status, limit, offset } = options;
  const query = { memberStatus: status, limit, offset };
  const found = session.useCases.get(GetBatch);
  const { batch, members } = await found.execute(session.actor, batchId, query);
  const waits = await found.waits(batch);
  const words = await selectorWords(session, [batch.selector]);
  return {
    json: {
      batch: batchView(batch),
      waits_for: waits.map(orderWaitView),
      members: members.items.map((member) => batchMemberView(member, batch)),
      ...pageView(members),
    },
    text: batchText(batch, members.items, waits, words) + moreOf(members),
  };
}

async function cancel(session: Session, batchId: number): Promise<Reply> {
  const batch = await session.useCases.get(CancelBatch).execute(session.actor, batchId);
  return {
    json: batchView(batch),
    text: `Batch ${batch.id} starts no more jobs: ${countsText(batch)}. Running jobs stop when it is safe.\n`,
  };
}
