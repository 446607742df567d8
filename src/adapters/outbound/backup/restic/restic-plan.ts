import type {
  BackupPlan,
  PlanRequest,
  TransferWatch,
} from '../../../../application/ports/backups/backup-engine.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { Scratch } from '../scratch.ts';
import { orderFor, startResticSurvey } from './restic-backup-run.ts';
import { isAbsent, repositoryFault } from './restic-faults.ts';
import { type ResticEnd, ResticHost } from './restic-host.ts';
import { messageOf, type ResticSummary } from './restic-messages.ts';
import type { ResticSession } from './restic-session.ts';

/** What a backup would store. A new repository is not created for that: restic compares with an empty one. */
export async function planResticBackup(
  request: PlanRequest,
  session: ResticSession,
  watch: TransferWatch,
): Promise<BackupPlan> {
  watch.progress('Comparing with the repository', null);
  const survey = startResticSurvey(request, watch.signal);
  const order = await orderFor(request, survey, session, watch);
  let summary: ResticSummary | null = null;
  const dryRun = {
    args: ['backup', '--dry-run', ...order.args],
    input: order.input,
    onLine: (line: string): void => {
      const message = messageOf(line);
      if (message?.message_type === 'summary') summary = message;
    },
  };
  const { opened } = session.restic;
  const end = await session.run(dryRun);
  const isNew = isAbsent(end) && opened.repository.initialisedAt === null;
  const done = isNew ? await againstNothing(request, session, watch, dryRun) : end;
  const found = summary as ResticSummary | null;
  if (found === null) {
    if (done.exitCode !== 0) throw repositoryFault(opened, done);
    throw new DomainError('backup_failed', 'restic ended without a plan.');
  }
  return {
    files: found.total_files_processed,
    totalBytes: found.total_bytes_processed,
    transferFiles: found.files_new + found.files_changed,
    transferBytes: Math.min(found.data_added, found.total_bytes_processed),
  };
}

async function againstNothing(
  { host }: PlanRequest,
  session: ResticSession,
  watch: TransferWatch,
  dryRun: Parameters<ResticSession['run']>[0],
): Promise<ResticEnd> {
  const { opened, places } = session.restic;
  const scratch = await Scratch.open(host, watch.signal);
  try {
    const repository = { ...opened.repository, kind: 'local', url: `${scratch.directory}/empty` } as const;
    const empty = new ResticHost(host, { ...opened, repository }, places, watch.signal);
    const made = await empty.run({ args: ['init'] });
    return made.exitCode === 0 ? await empty.run(dryRun) : made;
  } finally {
    await scratch.close();
  }
}
