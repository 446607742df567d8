import { DomainError } from '../../domain/base/errors.ts';
import { type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefreshInventory } from './refresh-inventory.ts';

/** An inventory is read again after this long. */
const FRESH_MS = 60 * MINUTE;
/** A host that could not be read is left alone for this long. */
const RETRY_MS = 15 * MINUTE;
const BATCH = 100;
const AT_ONCE = 8;
const LIMIT_MS = 2 * MINUTE;

/** Keeps the stored facts of the fleet fresh in the background. */
export class RefreshDueInventories extends UseCase<
  'servers' | 'clock' | 'log',
  { readonly refreshInventory: RefreshInventory }
> {
  readonly #failedAt = new Map<number, Instant>();

  /** Reads the hosts that are due, a bounded batch a call. */
  async execute(signal: AbortSignal): Promise<void> {
    const now = this.deps.clock.now();
    for (const [id, at] of this.#failedAt) if (now - at >= RETRY_MS) this.#failedAt.delete(id);
    const due = await this.deps.servers.inventoryDue(now - FRESH_MS, BATCH + this.#failedAt.size);
    const waiting = due.filter((server) => isReachable(server) && !this.#failedAt.has(server.id));
    const takeOne = async (): Promise<void> => {
      for (let server = waiting.shift(); server && !signal.aborted; server = waiting.shift()) {
        await this.#refresh(server, signal);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeOne));
  }

  async #refresh(server: Server, signal: AbortSignal): Promise<void> {
    const reading = new AbortController();
    const stop = (): void => reading.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const over = new AbortController();
    void this.deps.clock.sleep(LIMIT_MS, over.signal).then(() => reading.abort(tooLong(server.name)));
    try {
      await this.deps.refreshInventory.execute(server, reading.signal);
    } catch (error) {
      // We broke it off; the host did nothing wrong.
      if (signal.aborted) return;
      this.#failedAt.set(server.id, this.deps.clock.now());
      this.deps.log.warn('could not read a host', { serverId: server.id, error: String(error) });
    } finally {
      over.abort();
      signal.removeEventListener('abort', stop);
    }
  }
}

const tooLong = (serverName: string): DomainError =>
  new DomainError('host_timeout', `"${serverName}" was not read within ${LIMIT_MS / SECOND} s.`);

/** A server whose host key is not confirmed yet can't be reached. */
const isReachable = (server: Server): boolean =>
  server.address.connection === 'local' || server.address.hostKey !== null;
