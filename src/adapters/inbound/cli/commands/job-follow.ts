import type { Command } from 'commander';
import { FollowJob } from '../../../../application/jobs/follow-job.ts';
import { GetJob } from '../../../../application/jobs/get-job.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { SECOND } from '../../../../domain/base/instant.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { isTerminal, type Job } from '../../../../domain/jobs/job.ts';
import { jobDetailView } from '../../api/views/job-view.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Text } from '../local-time.ts';
import { downgradeText, packagesText } from '../packages-text.ts';
import { paceText } from '../phase-text.ts';
import { planText } from '../plan-text.ts';
import type { Reply, Session } from '../session.ts';
import { progressText, StatusLine } from '../status-line.ts';
import { typeText } from '../words.ts';

export interface FollowOptions {
  readonly wait?: true;
  readonly follow?: true;
}

export const withFollow = (command: Command): Command =>
  command
    .option('--wait', 'wait until the job has ended')
    .option('--follow', 'wait, and show the log as it grows (with --json on standard error)');

/** Waits for the end of a job, and prints the result. */
export async function ending(
  session: Session,
  jobId: number,
  options: FollowOptions,
): Promise<Reply & { job: Job }> {
  await follow(session, jobId, { log: options.follow ?? false });
  const reading = await session.useCases.get(GetJob).execute(session.actor, jobId, { detail: true });
  const { job } = reading;
  return {
    job,
    json: jobDetailView(reading),
    text: endText(job) + packagesText(job) + planText(job) + downgradeText(job),
    exitCode: endCode(job),
  };
}

/** A job that waits longer than this with no reason given has most often no service to run it. */
const WAITS_LONG_MS = 5 * SECOND;

/** Waits until a job has ended, shows its progress and, with `log`, its log. Returns its last state. */
async function follow(session: Session, jobId: number, options: { readonly log: boolean }): Promise<Job> {
  const status = new StatusLine(session.io);
  const say = (line: Text): void => {
    status.clear();
    session.note(line);
  };
  const log = new WholeLines((lines) => say([{ verbatim: lines }]));
  const began = session.now();
  let isShown = false;
  try {
    return await session.useCases.get(FollowJob).execute(
      session.actor,
      jobId,
      {
        onLog: ({ text, cutBytes }) => {
          if (!options.log) return;
          if (cutBytes > 0) say(`... ${formatBytes(cutBytes)} of the log omitted ...`);
          log.add(text);
        },
        onState: (job) => {
          const left = [progressText(job.current, job.percent), paceText(job, session.now())];
          status.show(`job ${job.id} ${job.status}  ${left.filter(Boolean).join(', ')}`);
          if (job.status !== 'pending' || isShown || session.now() - began < WAITS_LONG_MS) return;
          isShown = true;
          say(
            `The job still waits${job.current === null ? '; is the service running? (drover doctor)' : `: ${job.current}`}`,
          );
        },
      },
      session.signal,
    );
  } finally {
    log.end();
    status.clear();
  }
}

/** How a followed job ended, in a sentence. */
function endText(job: Job): string {
  const name = `Job ${job.id}, ${typeText(job.jobType)} on ${job.serverName},`;
  if (!isTerminal(job.status))
    return `${name} continues. Check it with: ${shellCommand`drover job show ${job.id} --follow`}\n`;
  const why = job.error === null ? job.summary : `${job.error.detail} [${job.error.code}]`;
  const outcome = { success: 'succeeded', failed: 'failed', cancelled: 'was cancelled' }[job.status];
  return `${name} ${outcome}${why ? `: ${why}` : '.'}\n`;
}

function endCode(job: Job): ExitCode {
  if (!isTerminal(job.status)) return EXIT.interrupted;
  return job.status === 'success' ? EXIT.done : EXIT.failed;
}

/** Hands on whole lines of a text that comes in pieces. */
class WholeLines {
  readonly #say: (line: string) => void;
  #rest = '';

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (lines.length > 0) this.#say(lines.join('\n'));
  }

  end(): void {
    if (this.#rest !== '') this.#say(this.#rest);
    this.#rest = '';
  }
}
