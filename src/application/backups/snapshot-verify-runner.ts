import { selectSources } from '../../domain/backups/backup-source.ts';
import {
  DEFAULT_SAMPLE,
  parseSample,
  type SampleSize,
  sampleText,
} from '../../domain/backups/sample-size.ts';
import {
  coverageOf,
  isDamaged,
  type Snapshot,
  type SnapshotCheck,
  snapshotLabel,
  snapshotNotFound,
} from '../../domain/backups/snapshot.ts';
import { count } from '../../domain/base/count.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { formatBytes } from '../../domain/base/format-bytes.ts';
import { HOUR } from '../../domain/base/instant.ts';
import { MIN_JUMP_MS } from '../../domain/fleet/clock-jump.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { whileHeld } from '../base/while-held.ts';
import { type JobContext, type JobRunner, type RunResult, reachOf } from '../jobs/runner.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

const WORD = 2 ** 32;

interface VerificationResult {
  readonly snapshot: Snapshot;
  readonly check: SnapshotCheck | null;
  readonly error: DomainError | null;
}

/** Gives snapshots back to a scratch place and compares them: the newest of each of a server's sources, or a named one. */
export class SnapshotVerifyRunner
  extends UseCase<'engines' | 'sources' | 'snapshots' | 'hosts' | 'randomness' | 'clock'>
  implements JobRunner
{
  readonly types = ['snapshot_verify'] as const;
  readonly timeLimitMs = 24 * HOUR;
  async plan(context: JobContext): Promise<RunResult> {
    const snapshots = await this.#chosen(context);
    return {
      summary: `Dry run: ${count(snapshots.length, 'snapshot')} would be verified. Nothing was read.`,
      result: {
        dry_run: true,
        sample: sampleText(sampleOf(context)),
        snapshots: snapshots.map(({ id, sourceName, name }) => ({ id, source: sourceName, name })),
      },
    };
  }

  /** Every snapshot is tried; the job fails at the end if one of them is damaged or could not be tried. */
  async apply(context: JobContext): Promise<RunResult> {
    const verified: VerificationResult[] = [];
    const here = await this.deps.hosts.connect({
      kind: 'local',
      serverId: 0,
      serverName: 'this machine',
      become: 'none',
    });
    try {
      for (const snapshot of await this.#chosen(context)) {
        context.signal.throwIfAborted();
        verified.push(await this.#verify(context, here, snapshot));
      }
    } finally {
      here.release();
    }
    const failed = verified.filter(({ error }) => error !== null);
    const bytes = verified.reduce((sum, { check }) => sum + (check?.bytes ?? 0), 0);
    const hasDamage = verified.some(({ check }) => check?.outcome === 'damaged');
    return {
      summary: `Verified ${count(verified.length, 'snapshot')}: ${formatBytes(bytes)} restored and compared.`,
      result: { dry_run: false, sample: sampleText(sampleOf(context)), snapshots: verified.map(resultOf) },
      facts: await this.#facts(context.server.id, hasDamage),
      failure: failureOf(failed, verified.length),
    };
  }

  async #verify(context: JobContext, here: RemoteHost, snapshot: Snapshot): Promise<VerificationResult> {
    context.log(`Verifying ${snapshotLabel(snapshot)}.`);
    const request = {
      snapshot,
      sample: sampleOf(context),
      chance: () => this.#chance(),
      here: async () => here,
      origin: reachOf(context),
    };
    const deps = { snapshots: this.deps.snapshots, clock: this.deps.clock };
    try {
      const { files, bytes } = await whileHeld(deps, snapshot, () =>
        this.deps.engines.of(snapshot).verify(request, context),
      );
      const check = { at: this.deps.clock.now(), outcome: 'good', files, bytes, detail: null } as const;
      await this.deps.snapshots.recordCheck(snapshot.id, check);
      context.log(`Good: ${count(files, 'file')}, ${formatBytes(bytes)}, all match the manifest.`);
      return { snapshot, check, error: null };
    } catch (error) {
      context.signal.throwIfAborted();
      if (!isDomainError(error)) throw error;
      context.log(`${snapshotLabel(snapshot)}: ${error.message}`);
      if (error.code !== 'snapshot_damaged') return { snapshot, check: null, error };
      const at = this.deps.clock.now();
      const check = { at, outcome: 'damaged', files: 0, bytes: 0, detail: error.message } as const;
      await this.deps.snapshots.recordCheck(snapshot.id, check);
      return { snapshot, check, error };
    }
  }

  /** A damaged snapshot is no backup: the server is only as well backed up as its good ones. */
  async #facts(serverId: number, hasDamage: boolean): Promise<Partial<ServerFacts>> {
    const { lastBackupAt, lastVerifiedAt } = coverageOf(
      await this.deps.snapshots.coverage(serverId, this.deps.clock.now() + MIN_JUMP_MS),
    );
    return { lastVerifiedAt, ...(hasDamage ? { lastBackupAt } : {}) };
  }

  async #chosen({ server, job }: JobContext): Promise<readonly Snapshot[]> {
    const { snapshotId, sourceFilter } = job.params;
    if (snapshotId !== undefined) {
      const snapshot = await this.deps.snapshots.find(snapshotId);
      if (snapshot?.serverId !== server.id) throw snapshotNotFound(snapshotId);
      return [snapshot];
    }
    const newest: Snapshot[] = [];
    for (const source of selectSources(await this.deps.sources.ofServer(server.id), sourceFilter)) {
      const [snapshot] = await this.deps.snapshots.ofSource(source.id);
      if (snapshot) newest.push(snapshot);
    }
    if (newest.length > 0) return newest;
    throw new DomainError(
      'snapshot_not_found',
      `${server.name} has no snapshot to verify yet; back it up first.`,
    );
  }

  #chance(): number {
    const bytes = this.deps.randomness.bytes(4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / WORD;
  }
}

const sampleOf = ({ job }: JobContext): SampleSize =>
  job.params.sample === undefined ? DEFAULT_SAMPLE : parseSample(job.params.sample);

function failureOf(failed: readonly VerificationResult[], all: number): DomainError | null {
  const worst = failed.find(({ snapshot, check }) => isDamaged({ ...snapshot, check })) ?? failed[0];
  if (!worst?.error) return null;
  const { error, snapshot } = worst;
  const good = all - failed.length;
  const others = good > 0 ? ` ${count(good, 'other snapshot is', 'other snapshots are')} good.` : '';
  return new DomainError(
    error.code,
    `Snapshot ${snapshot.id} of "${snapshot.sourceName}": ${error.message}${others}`,
    {
      cause: error,
    },
  );
}

const resultOf = ({ snapshot, check, error }: VerificationResult): object => ({
  id: snapshot.id,
  source: snapshot.sourceName,
  name: snapshot.name,
  outcome: check?.outcome ?? 'not_verified',
  files: check?.files ?? 0,
  bytes: check?.bytes ?? 0,
  detail: error?.message ?? null,
});
