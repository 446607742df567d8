import { type Instant, toIso } from '../../../domain/base/instant.ts';
import { ago, duration } from '../../../domain/base/spans.ts';
import { isTerminal, type Job } from '../../../domain/jobs/job.ts';
import { paramsText } from './batch-text.ts';
import { progressText } from './status-line.ts';
import { type Cell, properties } from './table.ts';

export const JOB_HEADING = ['ID', 'SERVER', 'TYPE', 'STATUS', 'ASKED', 'TOOK', 'BY', 'WHAT'];

export const jobRow = (job: Job, now: Instant): readonly Cell[] => [
  job.id,
  job.serverName,
  job.jobType,
  job.status,
  ago(job.createdAt, now),
  took(job, now),
  job.requestedBy,
  whatOf(job),
];

export function jobText(job: Job, lines: readonly string[], now: Instant): string {
  const facts = properties([
    ['Job', `${job.id} (${job.jobType} on ${job.serverName})`],
    ['Status', job.status],
    ['Asked by', `${job.requestedBy}, ${toIso(job.createdAt)}`],
    ['Started', job.startedAt === null ? null : toIso(job.startedAt)],
    ['Ended', job.finishedAt === null ? null : `${toIso(job.finishedAt)} (${took(job, now)})`],
    ['Parameters', paramsText(job.params)],
    [isTerminal(job.status) ? 'Outcome' : 'Now', whatOf(job)],
  ]);
  return lines.length === 0 ? facts : `${facts}\n${lines.join('\n')}\n`;
}

function whatOf(job: Job): string | null {
  if (job.error !== null) return `${job.error.detail} [${job.error.code}]`;
  return isTerminal(job.status) ? job.summary : progressText(job.current, job.percent) || null;
}

function took(job: Job, now: Instant): string | null {
  return job.startedAt === null ? null : duration((job.finishedAt ?? now) - job.startedAt);
}
