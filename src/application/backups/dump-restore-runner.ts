import {
  afterFailedRestore,
  type DumpConnection,
  dumpNotFound,
  dumpPath,
  restoreByHand,
} from '../../domain/backups/dump.ts';
import { plannedDump } from '../../domain/backups/dump-plan.ts';
import { type Snapshot, snapshotLabel, snapshotNotFound } from '../../domain/backups/snapshot.ts';
import { DomainError, InvalidInput, isDomainError } from '../../domain/base/errors.ts';
import { formatBytes } from '../../domain/base/format-bytes.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { count } from '../../domain/base/spans.ts';
import { UseCase } from '../base/use-case.ts';
import { whileHeld } from '../base/while-held.ts';
import { DUMP_PLAN, driftFrom, plannedChanges, planResult } from '../jobs/job-plans.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { BackupEngines } from '../ports/backups/backup-engine.ts';
import type { DumpTarget } from '../ports/backups/dump-client.ts';
import type { SourceDumps } from './source-dumps.ts';

interface RestoreGoal {
  readonly snapshot: Snapshot;
  readonly connection: DumpConnection;
}

type Dump = Awaited<ReturnType<ReturnType<BackupEngines['of']>['readDump']>>;

/** Restores a dump of a snapshot into its database, by the database's own client. */
export class DumpRestoreRunner
  extends UseCase<
    'engines' | 'snapshots' | 'dumpClient' | 'digest' | 'clock' | 'jobs.find',
    { readonly sourceDumps: Pick<SourceDumps, 'find'> }
  >
  implements JobRunner
{
  readonly types = ['dump_restore'] as const;
  readonly timeLimitMs = 24 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const wanted = await this.#wanted(context);
    const { size, target } = await this.#reading(context, wanted, async (dump) => {
      const host = await context.openHost();
      const found = await this.deps.dumpClient.look(host, wanted.connection, context.signal);
      return { size: dump.size, target: found };
    });
    const changes = [plannedDump(wanted.connection)];
    const { clock, digest } = this.deps;
    return {
      summary: `Dry run: ${wordsOf(wanted)} (${formatBytes(size)}) would be restored into ${targetText(wanted, target)}. Nothing was changed.${warningOf(wanted)}`,
      result: {
        dry_run: true,
        ...planResult(context.job, changes.map(DUMP_PLAN.line), clock.now(), digest),
        changes,
        ...resultOf(wanted),
        bytes: size,
        all_or_nothing: afterFailedRestore(wanted.connection) === null,
        target: { ...target },
      },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const wanted = await this.#wanted(context);
    const { planId } = context.job.params;
    if (planId !== undefined) {
      const planned = plannedChanges(await this.deps.jobs.find(planId), DUMP_PLAN);
      const drift = driftFrom(planned, [plannedDump(wanted.connection)], DUMP_PLAN);
      if (drift) throw drift.failure;
    }
    context.log(`Restoring ${wordsOf(wanted)} into ${databaseText(wanted)}.${warningOf(wanted)}`);
    const bytes = await this.#reading(context, wanted, async ({ size, content }) => {
      const host = await context.openHost('bulk');
      let isSent = false;
      const watched = withProgress(content, (sent) => {
        isSent = true;
        context.progress('Restoring the dump', size === 0 ? null : (sent / size) * 100, {
          amount: { done: sent, total: size, unit: 'bytes' },
        });
      });
      await this.deps.dumpClient.restore(host, wanted.connection, watched, context.signal).catch((error) => {
        throw isSent ? withRemains(error, wanted) : error;
      });
      return size;
    });
    return {
      summary: `Restored ${wordsOf(wanted)} (${formatBytes(bytes)}) into ${databaseText(wanted)}.`,
      result: { dry_run: false, plan_id: planId ?? null, ...resultOf(wanted), bytes },
    };
  }

  /** The snapshot is held, and the dump was compared with the manifest. */
  #reading<T>({ signal }: JobContext, wanted: RestoreGoal, work: (dump: Dump) => Promise<T>): Promise<T> {
    const { snapshot, connection } = wanted;
    return whileHeld({ snapshots: this.deps.snapshots, clock: this.deps.clock }, snapshot, async () => {
      const dump = await this.deps.engines
        .of(snapshot)
        .readDump({ snapshot, path: dumpPath(connection), signal });
      try {
        return await work(dump);
      } finally {
        dump.content.destroy();
      }
    });
  }

  async #wanted({ job, server }: JobContext): Promise<RestoreGoal> {
    const { snapshotId, dump } = job.params;
    if (snapshotId === undefined || dump === undefined)
      throw new DomainError('invalid_input', 'The job does not specify what to restore.');
    const snapshot = await this.deps.snapshots.find(snapshotId);
    if (snapshot?.serverId !== server.id) throw snapshotNotFound(snapshotId);
    const connection = await this.deps.sourceDumps.find(snapshot.sourceId, dump.name);
    if (!connection) throw dumpNotFound(dump.name);
    const byHand = restoreByHand(connection);
    if (byHand !== null) throw new InvalidInput([{ path: '/name', message: byHand }]);
    return { snapshot, connection: { ...connection, database: dump.database } };
  }
}

const PROGRESS_BYTES = 4 * 1024 * 1024;

async function* withProgress(
  content: AsyncIterable<Buffer>,
  tell: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let reported = 0;
  for await (const chunk of content) {
    if (bytes === 0) tell(0);
    yield chunk;
    bytes += chunk.length;
    if (bytes - reported < PROGRESS_BYTES) continue;
    reported = bytes;
    tell(bytes);
  }
}

/** Logged before a restore, since a service that is killed logs nothing. */
const warningOf = ({ connection }: RestoreGoal): string => {
  const remains = afterFailedRestore(connection);
  return remains === null ? '' : ` If it fails: ${remains}`;
};

/** The failure, with its consequences. */
function withRemains(error: unknown, { connection }: RestoreGoal): unknown {
  const remains = afterFailedRestore(connection);
  if (remains === null || !isDomainError(error)) return error;
  return new DomainError(error.code, `${error.message} ${remains}`);
}

const wordsOf = ({ snapshot, connection }: RestoreGoal): string =>
  `the dump ${connection.name} of ${snapshotLabel(snapshot)}`;

const databaseText = ({ connection: { database } }: RestoreGoal): string =>
  database === null ? 'all databases' : `"${database}"`;

function targetText(wanted: RestoreGoal, { version, exists, tables, bytes }: DumpTarget): string {
  const server = version === null ? '' : ` on ${version}`;
  if (exists === false) return `${databaseText(wanted)}${server}, which does not exist yet`;
  const parts = [
    ...(tables === null ? [] : [count(tables, 'table')]),
    ...(bytes === null ? [] : [formatBytes(bytes)]),
  ];
  const has = parts.length === 0 ? '' : ` and replace its content (${parts.join(', ')})`;
  return `${databaseText(wanted)}${server}${has}`;
}

const resultOf = ({ snapshot, connection }: RestoreGoal): object => ({
  snapshot_id: snapshot.id,
  source: snapshot.sourceName,
  dump: connection.name,
  kind: connection.kind,
  database: connection.database,
});
