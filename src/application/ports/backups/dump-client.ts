import type { DumpConnection } from '../../../domain/backups/dump.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** What a restore would write to. */
export interface DumpTarget {
  /** What the server calls itself, on one line; `null` if the client does not say. */
  readonly version: string | null;
  /** `null` if unknown. */
  readonly exists: boolean | null;
  /** `null` if unknown. */
  readonly tables: number | null;
  /** `null` if unknown. */
  readonly bytes: number | null;
}

/**
 * Dumps and restores databases by their own clients, on a host or in one of its containers. Passwords reach the client over
 * standard input, never as arguments. Besides what is said below, it throws as `RemoteHost` does, and `host_tool_missing`
 * if the client or the container's engine is not there.
 */
export interface DumpClient {
  /**
   * The content of a dump, as it comes. Ends only if the dump ended well; throws `dump_failed` otherwise, with what the
   * client said and without the password. Reading it to its end or leaving it ends the client.
   */
  read(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Changes nothing. Throws `dump_restore_failed` if the database server cannot be reached. */
  look(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): Promise<DumpTarget>;
  /**
   * Replaces the content of the connection's database with that of a dump. What throws in `content` is thrown, and what was
   * written is taken back where the database can do that. Throws `dump_restore_failed`.
   */
  restore(
    host: RemoteHost,
    connection: DumpConnection,
    content: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<void>;
}
