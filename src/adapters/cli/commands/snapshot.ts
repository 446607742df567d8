import type { Command } from 'commander';
import { formatBytes } from '../../../application/jobs/words.ts';
import { toIso } from '../../../domain/instant.ts';
import { pageView } from '../../catalogue/views/page-view.ts';
import { snapshotView } from '../../catalogue/views/snapshot-view.ts';
import { id, type PageOptions, SERVER_ARGUMENT, withExamples, withPage } from '../arguments.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { properties, table } from '../table.ts';
import { moreOf } from '../words.ts';

export function addSnapshotCommands(program: Command, runner: Runner): void {
  const snapshot = program.command('snapshot').description('backups that are whole');
  withExamples(
    withPage(
      snapshot
        .command('list')
        .description('list the snapshots of a server, newest first')
        .argument(...SERVER_ARGUMENT),
      50,
    ).action(runner.run(list)),
    'drover snapshot list web',
  );
  snapshot
    .command('show')
    .description('show one snapshot')
    .argument('<id>', 'id of the snapshot', id)
    .action(runner.run(show));
}

async function list(session: Session, reference: string, page: PageOptions): Promise<Reply> {
  const server = await findServer(session, reference);
  const { limit, offset } = page;
  const snapshots = await session.useCases.listSnapshots.execute(session.actor, server.id, { limit, offset });
  const rows = snapshots.items.map((snapshot) => [
    snapshot.id,
    snapshot.sourceName,
    toIso(snapshot.startedAt),
    snapshot.fileCount,
    formatBytes(snapshot.totalBytes),
    formatBytes(snapshot.transferredBytes),
  ]);
  return {
    json: { snapshots: snapshots.items.map(snapshotView), ...pageView(snapshots) },
    text:
      rows.length === 0
        ? `${server.name} has no snapshot. Make one with: drover job start ${server.id} backup --follow\n`
        : table(['ID', 'SOURCE', 'TAKEN', 'FILES', 'SIZE', 'TRANSFERRED'], rows) + moreOf(snapshots),
  };
}

async function show(session: Session, snapshotId: number): Promise<Reply> {
  const snapshot = await session.useCases.getSnapshot.execute(session.actor, snapshotId);
  const text = properties([
    ['Snapshot', snapshot.id],
    ['Server', snapshot.serverId],
    ['Source', snapshot.sourceName],
    ['Taken', `${toIso(snapshot.startedAt)} to ${toIso(snapshot.finishedAt)}`],
    ['Made by job', snapshot.jobId],
    ['Files', snapshot.fileCount],
    ['Size', formatBytes(snapshot.totalBytes)],
    ['Transferred', formatBytes(snapshot.transferredBytes)],
    ['Went away meanwhile', snapshot.vanishedCount],
    ['Manifest', `sha256 ${snapshot.manifestSha256}`],
    ['Verified', snapshot.lastVerifiedAt === null ? 'never' : toIso(snapshot.lastVerifiedAt)],
  ]);
  return {
    json: snapshotView(snapshot),
    text: `${text}\nGet it back with: drover restore ${snapshot.id} --to DIRECTORY\n`,
  };
}
