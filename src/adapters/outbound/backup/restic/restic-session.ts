import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '../../../../domain/base/count.ts';
import { MINUTE, SECOND } from '../../../../domain/base/instant.ts';
import { isAbsent, isLocked, isThereAlready, lastWords, repositoryFault, unusable } from './restic-faults.ts';
import type { ResticEnd, ResticHost, ResticOrder } from './restic-host.ts';
import { lockReport } from './restic-locks.ts';

const PATIENCE_MS = 10 * MINUTE;
const PAUSE_MS = 5 * SECOND;

/** Runs restic against one repository: creates it if it is new, and waits for locks of others. */
export class ResticSession {
  readonly restic: ResticHost;
  readonly #signal: AbortSignal;
  readonly #log: (line: string) => void;
  readonly #patienceMs: number;

  constructor(
    restic: ResticHost,
    watch: { readonly signal: AbortSignal; readonly log: (line: string) => void },
    patienceMs: number = PATIENCE_MS,
  ) {
    this.restic = restic;
    this.#signal = watch.signal;
    this.#log = watch.log;
    this.#patienceMs = patienceMs;
  }

  /** As `ResticHost.run`, after waiting for others' locks. Throws `repository_unusable` if that takes too long. */
  async run(order: ResticOrder): Promise<ResticEnd> {
    const until = performance.now() + this.#patienceMs;
    for (let isLogged = false; ; isLogged = true) {
      const end = await this.restic.run(order);
      if (end.exitCode === 0 || !isLocked(end)) return end;
      if (await this.#unlock()) continue;
      if (performance.now() >= until) throw unusable(this.#name, `${lockedBy(end)}.`);
      if (!isLogged) this.#log(`The repository is in use: ${lockedBy(end)}. Waiting for it.`);
      await sleep(PAUSE_MS, undefined, { signal: this.#signal }).catch(() => undefined);
      this.#signal.throwIfAborted();
    }
  }

  /** The same, but creates a new repository. Throws `repository_unusable`. */
  async runAndInit(order: ResticOrder): Promise<ResticEnd> {
    const { repository, found } = this.restic.opened;
    const end = await this.run(order);
    if (!isAbsent(end)) {
      await found();
      return end;
    }
    if (repository.initialisedAt !== null) throw repositoryFault(this.restic.opened, end);
    this.#log(`The repository "${repository.name}" does not exist yet: creating it.`);
    const made = await this.restic.run({ args: ['init'] });
    if (made.exitCode !== 0 && !isThereAlready(made)) throw repositoryFault(this.restic.opened, made);
    await found();
    return this.run(order);
  }

  /**
   * Removes locks of dead processes of this host: those of killed runs. `restic unlock` would also remove others'
   * locks that look old by this host's clock; then nothing is removed.
   */
  async #unlock(): Promise<boolean> {
    const { left, hasForeignOld } = await lockReport(this.restic, this.#signal);
    if (left.length === 0 || hasForeignOld) return false;
    const { exitCode } = await this.restic.run({ args: ['unlock'] });
    if (exitCode !== 0) return false;
    this.#log(`Removed ${count(left.length, 'lock')} of killed runs on this host.`);
    return true;
  }

  get #name(): string {
    return this.restic.opened.repository.name;
  }
}

/** `repository is already locked by PID 17 on web by root (UID 0, GID 0), lock was created at …` */
const lockedBy = (end: ResticEnd): string => {
  const lines = end.said.split('\n');
  const locked = lines.find((line) => line.includes('already locked'))?.replace(/^.*?repository is/, 'it is');
  const since = lines.find((line) => line.startsWith('lock was created'));
  return locked ? [locked, ...(since ? [since] : [])].join(', ') : lastWords(end);
};
