import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackupRequest, TransferWatch } from '../../src/application/ports/backups/backup-engine.ts';
import type {
  CommandResult,
  HostAccess,
  HostCommand,
  HostKey,
  HostProcess,
  RemoteHost,
  RemoteHosts,
  RunOptions,
} from '../../src/application/ports/fleet/remote-host.ts';
import type { NewSnapshot } from '../../src/domain/backups/snapshot.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { FakeBackupEngine } from '../fakes/fake-backup-engine.ts';
import { fakeHostKey } from '../fakes/fake-host-key.ts';
import { FakeProcess } from '../fakes/fake-process.ts';
import { type Question, questionOf, recordedAnswer } from './recorded-debian.ts';

/** How long a host takes for each thing, in milliseconds. */
export type Latency = Readonly<Record<'connect' | 'backup' | Question, number>> & {
  /** It does not answer at all: `connect` is how long one tries. */
  readonly isDead: boolean;
};

/** Any number of hosts that take their time, and answer like a recorded one. They record what was done to them. */
export class SimulatedHosts implements RemoteHosts {
  readonly #latencyOf: (serverId: number) => Latency;
  /** How often each was asked to refresh its package lists, and how often it was backed up. */
  readonly refreshed = new Map<number, number>();
  readonly backedUp = new Map<number, number>();
  /** All that was waited for hosts, in milliseconds. */
  waitedMs = 0;

  constructor(latencyOf: (serverId: number) => Latency) {
    this.#latencyOf = latencyOf;
  }

  async connect({ serverId, serverName }: HostAccess, { signal }: RunOptions = {}): Promise<RemoteHost> {
    const latency = this.#latencyOf(serverId);
    await this.#wait(latency.connect, signal);
    if (latency.isDead) throw new DomainError('host_unreachable', `"${serverName}" does not answer.`);
    return {
      run: (command, options) => this.#run(latency, command, options),
      open: (command, options) => this.#open({ serverId, serverName }, latency, command, options),
      release: () => undefined,
    };
  }

  async scanHostKey({ serverName }: { readonly serverName: string }): Promise<HostKey> {
    return fakeHostKey(serverName);
  }

  async closeAll(): Promise<void> {}

  async backUp(serverId: number, signal: AbortSignal): Promise<void> {
    count(this.backedUp, serverId);
    await this.#wait(this.#latencyOf(serverId).backup, signal);
  }

  async #run(
    latency: Latency,
    { script, args }: HostCommand,
    { signal }: RunOptions = {},
  ): Promise<CommandResult> {
    const question = questionOf(script);
    await this.#wait(latency[question], signal);
    const stdout = Buffer.from(recordedAnswer(question, args));
    return { exitCode: 0, signal: null, stdout, stderr: Buffer.alloc(0), truncated: false };
  }

  async #open(
    { serverId, serverName }: Pick<HostAccess, 'serverId' | 'serverName'>,
    latency: Latency,
    command: HostCommand,
    { signal }: Pick<RunOptions, 'signal'> = {},
  ): Promise<HostProcess> {
    const question = questionOf(command.script);
    if (question !== 'facts') count(this.refreshed, serverId);
    const process = new FakeProcess(serverName, command, async (call) => {
      await this.#wait(latency[question], call.signal);
      return recordedAnswer(question, command.args);
    });
    process.start(Buffer.alloc(0), signal);
    return process;
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await sleep(ms, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    this.waitedMs += ms;
  }
}

/** Snapshots of hosts that have nothing to back up but time. */
export class SimulatedBackupEngine extends FakeBackupEngine {
  readonly #hosts: SimulatedHosts;

  constructor(hosts: SimulatedHosts) {
    super();
    this.#hosts = hosts;
  }

  override async backup(
    { source, jobId, startedAt }: BackupRequest,
    watch: TransferWatch,
  ): Promise<NewSnapshot> {
    watch.progress('Transferring', null);
    await this.#hosts.backUp(source.serverId, watch.signal);
    const name = new Date(startedAt).toISOString();
    return {
      serverId: source.serverId,
      sourceId: source.id,
      sourceName: source.name,
      jobId,
      engine: this.name,
      name,
      startedAt,
      finishedAt: Date.now(),
      fileCount: 2_000,
      totalBytes: 5_200_000_000,
      transferredBytes: 12_000_000,
      vanishedCount: 0,
      manifestSha256: createHash('sha256').update(`${source.id} ${name}`).digest('hex'),
    };
  }

  override async published(): Promise<readonly NewSnapshot[]> {
    return [];
  }
}

function count(counts: Map<number, number>, id: number): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
