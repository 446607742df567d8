import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { JobState } from '../../components/status.tsx';
import { LocalTimes } from '../../components/time.tsx';
import type { SignedInVisit } from '../../route.ts';
import { currentOf } from '../jobs/job-words.ts';
import { livePath } from './setup-key.tsx';

export interface FirstBackupDeps {
  readonly listJobs: Pick<ListJobs, 'execute'>;
}

/** What comes after the cards: the first backup while it runs, and then the ways on. */
export async function firstBackup(
  { listJobs }: FirstBackupDeps,
  { visitor: { actor } }: SignedInVisit,
  server: Server,
) {
  const query = { serverId: server.id, jobType: 'backup', limit: 1, offset: 0 } as const;
  const job = (await listJobs.execute(actor, query)).items[0] ?? null;
  const isRunning = job !== null && !isTerminal(job.status);
  return (
    <section
      id="first-backup"
      class="card"
      aria-labelledby="first-backup-title"
      {...(isRunning
        ? { 'hx-get': livePath(server), 'hx-trigger': 'every 2s', 'hx-swap': 'outerHTML', 'data-live': true }
        : {})}
    >
      <header>
        <h2 id="first-backup-title">{job === null ? `${server.name} is set up` : 'First backup'}</h2>
        {job === null ? null : <JobState status={job.status} />}
      </header>
      <div class="body">
        {job === null ? (
          <p>
            Nothing is backed up yet. <a href={`/servers/${server.id}/sources`}>Add a backup source</a>
          </p>
        ) : (
          <Progress job={job} />
        )}
        <p class="actions">
          <a class={isRunning ? 'button quiet' : 'button'} href={`/servers/${server.id}`}>
            Go to {server.name}
          </a>
          <a href="/servers/new">Add another server</a>
        </p>
      </div>
    </section>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const words = isTerminal(job.status) ? (job.error?.detail ?? job.summary) : currentOf(job);
  return (
    <p role="status">
      {!isTerminal(job.status) && job.percent !== null ? (
        <>
          <progress max={100} value={job.percent} aria-label="Progress of the first backup" /> {job.percent} %{' '}
        </>
      ) : null}
      <LocalTimes text={words ?? 'Waiting for a worker.'} /> <a href={`/jobs/${job.id}`}>Job {job.id}</a>
      {job.status === 'failed' && job.error ? (
        <>
          {' · '}
          <a href={`/docs/errors#${job.error.code}`}>What to do</a>
        </>
      ) : null}
    </p>
  );
}
