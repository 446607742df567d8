/** The action for a connection that was idle long enough, or that has to make room for others. */
type End = () => void;

/**
 * Unused connections to all hosts. Each is kept for a while, since the next command usually comes soon; overall the
 * latest are kept, so that a night over a large fleet does not leave thousands open.
 */
export class IdleConnections<Connection extends object> {
  readonly #idleMs: number;
  readonly #most: number;
  /** In the order in which they became idle. */
  readonly #kept = new Map<Connection, { readonly timer: NodeJS.Timeout; readonly end: End }>();

  constructor({ idleMs, most }: { idleMs: number; most: number }) {
    this.#idleMs = idleMs;
    this.#most = most;
  }

  /** Starts its idle time; restarts it if it was idle before. */
  keep(connection: Connection, end: End): void {
    this.use(connection);
    const timer = setTimeout(() => this.#end(connection), this.#idleMs).unref();
    this.#kept.set(connection, { timer, end });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest) this.#end(oldest);
  }

  /** In use or closed: not idle. */
  use(connection: Connection): void {
    clearTimeout(this.#kept.get(connection)?.timer);
    this.#kept.delete(connection);
  }

  #end(connection: Connection): void {
    const end = this.#kept.get(connection)?.end;
    this.use(connection);
    end?.();
  }
}
