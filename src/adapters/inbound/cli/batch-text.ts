import {
  type Batch,
  type BatchMember,
  isUnfinished,
  MEMBER_STATUSES,
  memberWord,
  totalOf,
} from '../../../domain/automation/batch.ts';
import { type OrderWait, waitText } from '../../../domain/automation/order-step.ts';
import { ringTagOf } from '../../../domain/automation/update-order.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import { ago, count } from '../../../domain/base/spans.ts';
import type { JobParams } from '../../../domain/jobs/job.ts';
import { jobTitle } from '../../../domain/jobs/job-types.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { SelectorWords } from './find-server.ts';
import { localTime } from './local-time.ts';
import { type Cell, properties, table } from './table.ts';
import { typeText } from './words.ts';

export const BATCH_HEADING = ['ID', 'JOB', 'SERVERS', 'STATUS', 'PROGRESS', 'REQUESTED', 'BY'];

export const batchRow = (batch: Batch, now: Instant, words: SelectorWords): readonly Cell[] => [
  batch.id,
  jobTitle(batch.jobType),
  words(batch.selector),
  batch.status,
  countsText(batch),
  ago(batch.createdAt, now),
  batch.requester.label,
];

/** `12 success, 1 failed, 7 waiting`: the states with members. */
export const countsText = ({ counts }: Pick<Batch, 'counts'>): string =>
  MEMBER_STATUSES.filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${memberWord(status)}`)
    .join(', ');

export function batchText(
  batch: Batch,
  members: readonly BatchMember[],
  waits: readonly OrderWait[],
  words: SelectorWords,
): string {
  const { bounds, orders } = batch;
  const hasRings = orders.some(({ rings }) => rings.length > 0);
  const facts = properties([
    ['Batch', `${batch.id}, ${typeText(batch.jobType)}, ${words(batch.selector)}`],
    ['Status', batch.status],
    ['Hosts', `${totalOf(batch.counts)}: ${countsText(batch)}`],
    ['At once', bounds.maxParallel],
    ['Canaries', bounds.canary === 0 ? null : bounds.canary],
    ['Stops after', bounds.stopAfterFailures === null ? null : count(bounds.stopAfterFailures, 'failure')],
    ['Requested by', `${batch.requester.label}, ${localTime(batch.createdAt)}`],
    ['Parameters', paramsText(batch.params)],
    ['Ended', batch.finishedAt === null ? null : localTime(batch.finishedAt)],
    ['Stopped', batch.stopReason],
    ['Waiting', waits.map(waitText).join(' ') || null],
  ]);
  const rows = members.map((member) => [
    member.serverName,
    memberWord(member.status),
    ...(hasRings ? [ringTagOf(member, orders) ?? (member.place === null ? null : 'the last')] : []),
    member.jobId,
    whyOf(member),
  ]);
  const heading = ['SERVER', 'STATUS', ...(hasRings ? ['RING'] : []), 'JOB', 'WHY'];
  return rows.length === 0 ? facts : `${facts}\n${table(heading, rows, { last: 'whole' })}`;
}

function whyOf({ code, detail, status, notBefore }: BatchMember): string | null {
  if (code !== null) return `${detail ?? ''} [${code}]`;
  return status === 'waiting' && notBefore !== null ? `not before ${localTime(notBefore)}` : null;
}

export const paramsText = ({
  sourceFilter,
  service,
  osSteps,
  graceSeconds,
  prune,
  guard,
  observeMinutes,
  waitForHostMinutes,
  sample,
  planId,
  dryRun,
}: JobParams): string | null =>
  [
    sourceFilter,
    service,
    osSteps?.join(','),
    graceSeconds === undefined ? null : `grace ${graceSeconds} s`,
    prune ? 'prune' : null,
    guard === undefined ? null : guard ? 'guard' : 'no guard',
    observeMinutes === undefined ? null : `observe ${observeMinutes} min`,
    waitForHostMinutes === undefined ? null : `wait for the host ${waitForHostMinutes} min`,
    sample === undefined ? null : `sample ${sample}`,
    planId === undefined ? null : `plan ${planId}`,
    dryRun ? 'dry run' : null,
  ]
    .filter(Boolean)
    .join(' ') || null;

/** How a followed batch ended, in a sentence. */
export function batchEndText(batch: Batch, words: SelectorWords): string {
  const name = `Batch ${batch.id}, ${typeText(batch.jobType)} on ${words(batch.selector)},`;
  if (batch.status === 'running') {
    return `${name} continues. Check it with: ${shellCommand`drover batch show ${batch.id}`}\n`;
  }
  if (batch.status === 'awaiting_approval') {
    return `${name} is waiting for approval. See: drover approval list\n`;
  }
  const outcome = {
    success: 'succeeded',
    failed: 'failed',
    stopped: 'was stopped',
    cancelled: 'was cancelled',
  }[batch.status];
  const why = batch.stopReason === null ? '' : ` ${batch.stopReason}`;
  return `${name} ${outcome}: ${countsText(batch)}.${why} See each host with: ${shellCommand`drover batch show ${batch.id}`}\n`;
}

export function batchEndCode(batch: Batch): ExitCode {
  if (isUnfinished(batch.status)) return EXIT.interrupted;
  return batch.status === 'success' ? EXIT.done : EXIT.failed;
}
