import { UseCase } from '../base/use-case.ts';

const BATCH = 500;
const MAX_BATCHES = 40;
const FIRST = 'started the audit log chain';
const BEGAN =
  'started a new audit log chain; expected after an upgrade from a version without one, otherwise the previous chain was deleted';

/** Adds new audit entries to the chain. Safe to run in several processes at once. */
export class SealAudit extends UseCase<'chain' | 'clock' | 'log' | 'isNewDatabase'> {
  /** Only in a new database is a new chain the first one. */
  #expectsFirst = this.deps.isNewDatabase;

  /** Throws `audit_broken`. */
  async execute(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const { entries, began } = await this.deps.chain.seal(BATCH, this.deps.clock.now());
      if (began) this.#tellOfChain();
      if (entries < BATCH) return;
    }
  }

  #tellOfChain(): void {
    if (this.#expectsFirst) this.deps.log.info(FIRST);
    else this.deps.log.warn(BEGAN);
    this.#expectsFirst = false;
  }

  /** Logs the chain head, out of reach of anyone who changes the database: logs usually go elsewhere. */
  async noteHead(): Promise<void> {
    const head = await this.deps.chain.head();
    if (head) this.deps.log.info('recorded the head of the audit chain', { head: `${head.seq}:${head.mac}` });
  }
}
