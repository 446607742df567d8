import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type {
  DetachedCommand,
  DetachedRuns,
  RunPart,
  RunState,
} from '../../src/application/ports/jobs/detached-runs.ts';
import { DomainError } from '../../src/domain/base/errors.ts';

interface Run {
  readonly command: DetachedCommand;
  log: Buffer;
  state: RunState;
  result: string;
}

const MAX_BYTES = 64 * 1024;

/** Runs in memory that go on as the test says: `runs.says(id, text)`, `runs.ends(id, 0)`. */
export class FakeDetachedRuns implements DetachedRuns {
  readonly #runs = new Map<string, Run>();
  readonly #forgotten = new Set<string>();
  /** Ids in the order in which they were really started. */
  readonly started: string[] = [];
  /** Ids of runs that were asked to stop. */
  readonly askedToStop: string[] = [];
  /** Ids of runs whose lease was renewed. */
  readonly renewed: string[] = [];
  /** Called before anything is done: throw here to play a host out of reach. */
  reach: () => void = () => undefined;

  async start(_host: RemoteHost, command: DetachedCommand): Promise<void> {
    this.reach();
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(command.id)) {
      throw new DomainError('invalid_input', 'A run is not named like that.');
    }
    if (this.#runs.has(command.id) || this.#forgotten.has(command.id)) return;
    this.#runs.set(command.id, { command, log: Buffer.alloc(0), state: { kind: 'running' }, result: '' });
    this.started.push(command.id);
  }

  async read(
    _host: RemoteHost,
    id: string,
    offset: number,
    { signal }: { waitMs: number; signal: AbortSignal },
  ): Promise<RunPart> {
    this.reach();
    signal.throwIfAborted();
    // A reader in a loop must let the test go on.
    await new Promise((resolve) => setImmediate(resolve));
    const run = this.#runs.get(id);
    if (!run) return { content: Buffer.alloc(0), next: offset, state: { kind: 'unknown' } };
    const content = run.log.subarray(offset, offset + MAX_BYTES);
    const next = offset + content.length;
    return { content, next, state: next < run.log.length ? { kind: 'running' } : run.state };
  }

  async result(_host: RemoteHost, id: string): Promise<string> {
    this.reach();
    return this.#runs.get(id)?.result ?? '';
  }

  async askToStop(_host: RemoteHost, id: string): Promise<void> {
    this.reach();
    if (this.#runs.get(id)?.state.kind === 'running') this.askedToStop.push(id);
  }

  async renew(_host: RemoteHost, id: string): Promise<void> {
    this.reach();
    if (this.#runs.get(id)?.state.kind === 'running') this.renewed.push(id);
  }

  async terminate(_host: RemoteHost, id: string): Promise<boolean> {
    this.reach();
    const run = this.#runs.get(id);
    if (run?.state.kind !== 'running') return false;
    this.ends(id, 143);
    return true;
  }

  async forget(_host: RemoteHost, id: string): Promise<void> {
    this.reach();
    if (this.#runs.get(id)?.state.kind === 'running') {
      throw new DomainError('host_command_failed', 'The work still goes on.');
    }
    if (this.#runs.delete(id)) this.#forgotten.add(id);
  }

  /** The requests to the run. */
  commandOf(id: string): { readonly script: string; readonly args: readonly string[] } {
    const { script, args = [] } = this.#run(id).command;
    return { script, args };
  }

  says(id: string, text: string): void {
    const run = this.#run(id);
    run.log = Buffer.concat([run.log, Buffer.from(text)]);
  }

  ends(id: string, exitCode: number, result = ''): void {
    this.becomes(id, { kind: 'ended', exitCode });
    this.#run(id).result = result;
  }

  becomes(id: string, state: RunState): void {
    this.#run(id).state = state;
  }

  #run(id: string): Run {
    const run = this.#runs.get(id);
    if (!run) throw new Error(`no run ${id} was started`);
    return run;
  }
}
