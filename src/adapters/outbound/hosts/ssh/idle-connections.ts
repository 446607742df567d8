/** What is to be done with a connection that was idle for long enough, or that others have to make room for. */
type End = () => void;

/**
 * Connections that nobody uses at the moment, to all hosts. Each is kept for a while, since the next command mostly comes
 * soon; of all together the latest are kept, so that a night over a large fleet does not leave thousands open.
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

  /** Begins to count its time; again where it was idle before. */
  keep(connection: Connection, end: End): void {
    this.use(connection);
    const timer = setTimeout(() => this.#end(connection), this.#idleMs).unref();
    this.#kept.set(connection, { timer, end });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest) this.#end(oldest);
  }

  /** It is used, or gone: not idle in any case. */
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
