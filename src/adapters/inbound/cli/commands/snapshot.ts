import { type Command, Option } from 'commander';
import { GetSnapshot, ListSnapshots } from '../../../../application/backups/list-snapshots.ts';
import { ManageSnapshots } from '../../../../application/backups/manage-snapshots.ts';
import { ListServers } from '../../../../application/fleet/list-servers.ts';
import { TriggerJob } from '../../../../application/jobs/trigger-job.ts';
import { isDamaged, type Snapshot } from '../../../../domain/backups/snapshot.ts';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { jobView } from '../../api/views/job-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { snapshotView } from '../../api/views/snapshot-view.ts';
import { id, type PageOptions, SERVER_ARGUMENT, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { findServer } from '../find-server.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { properties, table } from '../table.ts';
import { pageText } from '../words.ts';
import { ending, type FollowOptions, withFollow } from './job-follow.ts';

export function addSnapshotCommands(program: Command, runner: Runner): void {
  const snapshot = program.command('snapshot').description('list, show, verify, pin and delete snapshots');
  withExamples(
    withPage(
      snapshot
        .command('list')
        .description('list the snapshots of a server, newest first')
        .argument(...SERVER_ARGUMENT),
      50,
    ).action(runner.read(list)),
    'drover snapshot list web',
  );
  withExamples(
    withFollow(
      snapshot
        .command('verify')
        .description(
          'restore a snapshot to a temporary directory and compare it; exits with 1 if it is damaged',
        )
        .argument('<id>', 'id of the snapshot', id)
        .option('--all', 'all files instead of a sample of 200')
        .addOption(
          new Option('--sample <size>', 'number of files, or a percentage such as 5%').conflicts('all'),
        ),
    ).action(runner.run(verify)),
    'drover snapshot verify 12 --follow',
    'drover snapshot verify 12 --all --wait',
    'drover snapshot verify 12 --sample 5% --wait --json',
  );
  snapshot
    .command('show')
    .description('show one snapshot')
    .argument('<id>', 'id of the snapshot', id)
    .action(runner.run(show));
  withExamples(
    snapshot
      .command('pin')
      .description('pin a snapshot: retention never removes it, and it cannot be deleted')
      .argument('<id>', 'id of the snapshot', id)
      .action(runner.run((session, snapshotId: number) => pin(session, snapshotId, true))),
    'drover snapshot pin 12',
  );
  snapshot
    .command('unpin')
    .description('unpin a snapshot, so that retention can remove it')
    .argument('<id>', 'id of the snapshot', id)
    .action(runner.run((session, snapshotId: number) => pin(session, snapshotId, false)));
  withExamples(
    withYes(
      snapshot
        .command('delete')
        .description('permanently delete a snapshot; refused if it is pinned')
        .argument('<id>', 'id of the snapshot', id)
        .option('--last', 'delete it even if it is the last good or verified one of its source'),
    ).action(runner.run(remove)),
    'drover snapshot delete 12',
    'drover snapshot delete 12 --last --yes',
  );
}

async function list(session: Session, reference: string, page: PageOptions): Promise<Reply> {
  const server = await findServer(session, reference);
  const { limit, offset } = page;
  const snapshots = await session.useCases
    .get(ListSnapshots)
    .execute(session.actor, server.id, { limit, offset });
  const rows = snapshots.items.map((snapshot) => [
    snapshot.id,
    snapshot.sourceName,
    localTime(snapshot.startedAt),
    snapshot.fileCount,
    formatBytes(snapshot.totalBytes),
    formatBytes(snapshot.transferredBytes),
    verifiedText(snapshot),
  ]);
  return {
    json: { snapshots: snapshots.items.map(snapshotView), ...pageView(snapshots) },
    text: pageText(
      snapshots,
      `${server.name} has no snapshot. Create one with: ${shellCommand`drover job start ${server.id} backup --follow`}\n`,
      table(['ID', 'SOURCE', 'TAKEN', 'FILES', 'SIZE', 'TRANSFERRED', 'VERIFIED'], rows),
    ),
  };
}

interface VerifyOptions extends FollowOptions {
  readonly all?: true;
  readonly sample?: string;
}

/** A separate job, so that the service runs it, keeps its log and reports its findings. */
async function verify(session: Session, snapshotId: number, options: VerifyOptions): Promise<Reply> {
  const { useCases, actor } = session;
  const snapshot = await useCases.get(GetSnapshot).execute(actor, snapshotId);
  const job = await useCases.get(TriggerJob).execute(actor, {
    serverId: snapshot.serverId,
    jobType: 'snapshot_verify',
    snapshotId,
    sample: options.all ? 'all' : options.sample,
  });
  const started = { job_id: job.id, status: job.status, job_type: job.jobType, job: jobView(job) };
  if (!options.wait && !options.follow) {
    return {
      json: started,
      text: `Job ${job.id} verifies snapshot ${snapshotId}. Follow it with: ${shellCommand`drover job show ${job.id} --follow`}\n`,
    };
  }
  const ended = await ending(session, job.id, options);
  return { ...ended, json: { ...started, status: ended.job.status, job: ended.json } };
}

async function show(session: Session, snapshotId: number): Promise<Reply> {
  const { useCases, actor } = session;
  const snapshot = await useCases.get(GetSnapshot).execute(actor, snapshotId);
  const names = await useCases.get(ListServers).names(actor, [snapshot.serverId]);
  const text = properties([
    ['Snapshot', snapshot.id],
    ['Server', names.get(snapshot.serverId) ?? snapshot.serverId],
    ['Source', snapshot.sourceName],
    ['Engine', snapshot.engine],
    ['Taken', `${localTime(snapshot.startedAt)} to ${localTime(snapshot.finishedAt)}`],
    ['Created by job', snapshot.jobId],
    ['Files', snapshot.fileCount],
    ['Size', formatBytes(snapshot.totalBytes)],
    ['Transferred', formatBytes(snapshot.transferredBytes)],
    ['Deleted during backup', snapshot.vanishedCount],
    ['Damage', isDamaged(snapshot) ? (snapshot.check?.detail ?? null) : null],
    ['Manifest', `sha256 ${snapshot.manifestSha256}`],
    ['Verified', verifiedText(snapshot)],
    ['Pinned', snapshot.pinnedAt === null ? 'no' : localTime(snapshot.pinnedAt)],
  ]);
  return {
    json: snapshotView(snapshot),
    text: `${text}\nRestore it with: ${shellCommand`drover restore ${snapshot.id} --to DIRECTORY`}\n`,
  };
}

async function pin({ useCases, actor }: Session, snapshotId: number, pinned: boolean): Promise<Reply> {
  const snapshot = await useCases.get(ManageSnapshots).pin(actor, snapshotId, pinned);
  return {
    json: snapshotView(snapshot),
    text: pinned
      ? `Pinned snapshot ${snapshotId}. Retention keeps it until you unpin it.\n`
      : `Unpinned snapshot ${snapshotId}.\n`,
  };
}

interface DeleteOptions extends YesOption {
  readonly last?: true;
}

async function remove(session: Session, snapshotId: number, options: DeleteOptions): Promise<Reply> {
  const { useCases, actor } = session;
  const { sourceName, startedAt } = await useCases.get(GetSnapshot).execute(actor, snapshotId);
  await confirmed(
    session,
    options,
    `Delete snapshot ${snapshotId} of ${sourceName}, taken ${localTime(startedAt)}, permanently?`,
  );
  const confirmLast = options.last ?? false;
  const snapshot = await useCases.get(ManageSnapshots).remove(actor, snapshotId, { confirmLast });
  return { json: { ok: true, snapshot: snapshotView(snapshot) }, text: `Deleted snapshot ${snapshotId}.\n` };
}

function verifiedText({ check, lastVerifiedAt }: Snapshot): string {
  if (isDamaged({ check })) return 'DAMAGED';
  return lastVerifiedAt === null ? 'never' : localTime(lastVerifiedAt);
}
