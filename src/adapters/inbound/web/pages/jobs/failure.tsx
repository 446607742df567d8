import type { Job } from '../../../../../domain/jobs/job.ts';
import { Icon } from '../../components/icon.tsx';
import { CURES, sourceOf } from './cures.ts';
import { type ErrorLine, firstError } from './job-log.tsx';

/** Characters of the log that the banner quotes. */
const MAX_SAID = 300;

interface FailureProps {
  readonly job: Job;
  /** The first line of the log that reports an error, if it is shown. */
  readonly line: ErrorLine | null;
}

/** How package managers name what they could not install or configure. */
const PACKAGE =
  /error processing package ([\w.+:-]+)|half-configured: ([\w.+:-]+)|unpacking rpm package ([\w.+:-]+)/i;

/** The package, service or source that failed. */
function itemOf(job: Job): string | null {
  if (job.jobType === 'os_patch')
    return job.logTail.flatMap((line) => PACKAGE.exec(line)?.slice(1) ?? []).find(Boolean) ?? null;
  return job.params.service ?? (job.jobType === 'backup' ? sourceOf(job) : null);
}

/** Why a job failed, in which part of its work, and where to fix it. */
export function Failure({ job, line }: FailureProps) {
  if (job.error === null) return null;
  const { code, detail } = job.error;
  const [, first = detail, rest = ''] = /^(.+?[.!])\s+(\S.*)$/s.exec(detail) ?? [];
  const cure = CURES[code]?.(job);
  const item = itemOf(job);
  const said = (line ?? firstError({ first: 1, lines: job.logTail }))?.text;
  return (
    <div class={job.status === 'failed' ? 'banner bad' : 'banner care'}>
      <Icon name="circle-alert" />
      <div>
        <strong>{item === null || first.includes(item) ? first : `${item}: ${first}`}</strong>
        <p>
          {rest} <code>{code}</code>
        </p>
        {said === undefined || detail.includes(said) ? null : (
          <p class="mono said">{said.slice(0, MAX_SAID)}</p>
        )}
      </div>
      <span class="row">
        {line === null ? null : (
          <a class="button quiet small" href={`#L${line.number}`}>
            Jump to line {line.number}
          </a>
        )}
        <a class="button quiet small" href={`/docs/errors#${code}`}>
          What to do
        </a>
        {cure ? (
          <a class="button quiet small" href={cure.href}>
            {cure.label}
          </a>
        ) : null}
      </span>
    </div>
  );
}
