import type { Instant } from '../../domain/base/instant.ts';
import type { DomainEvent, EventType, Severity } from '../../domain/events/event.ts';
import { openKeyOf } from '../../domain/events/notification.ts';
import type { Job, JobStatus } from '../../domain/jobs/job.ts';
import { jobOn } from '../../domain/jobs/job-types.ts';

const EVENTS: Partial<Record<JobStatus, { type: EventType; severity: Severity; words: string }>> = {
  running: { type: 'job.started', severity: 'info', words: 'started' },
  success: { type: 'job.succeeded', severity: 'info', words: 'succeeded' },
  failed: { type: 'job.failed', severity: 'critical', words: 'failed' },
  cancelled: { type: 'job.cancelled', severity: 'warning', words: 'was cancelled' },
};

/** That a type of job fails on a server, and that it no longer does. */
const PROBLEMS: readonly EventType[] = ['job.failed', 'job.succeeded'];

/** The event for a job's new state. */
export function jobEvent(job: Job, at: Instant): DomainEvent {
  const event = EVENTS[job.status];
  if (!event) throw new Error(`no event reports that a job is ${job.status}`);
  return {
    type: event.type,
    at,
    severity: event.severity,
    title: `${jobOn(job.jobType, job.serverName)} ${event.words}`,
    message: job.error?.detail ?? job.summary ?? `Job ${job.id} ${event.words}.`,
    serverId: job.serverId,
    jobId: job.id,
    problem: PROBLEMS.includes(event.type)
      ? openKeyOf({ kind: 'job.failed', subjectId: job.serverId, variant: job.jobType })
      : null,
  };
}
