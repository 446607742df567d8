import type { DumpConnection } from '../../../domain/backups/dump.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** The target of a restore. */
export interface DumpTarget {
  /** The server's version, on one line; `null` if the client does not report it. */
  readonly version: string | null;
  /** `null` if unknown. */
  readonly exists: boolean | null;
  /** `null` if unknown. */
  readonly tables: number | null;
  /** `null` if unknown. */
  readonly bytes: number | null;
}

/**
 * Dumps and restores databases with their own clients, on a host or in one of its containers. Passwords reach the
 * client over standard input, never as arguments. In addition to the errors below, it throws as `RemoteHost` does,
 * and `host_tool_missing` if the client or the container engine is missing.
 */
export interface DumpClient {
  /**
   * The content of a dump, as a stream. Ends only if the dump succeeded; throws `dump_failed` otherwise, with the
   * client's message and without the password. Reading it to its end or leaving it ends the client.
   */
  read(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Whether a dump would start; reads and changes nothing. Throws `dump_failed` if the database cannot be reached. */
  check(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): Promise<void>;
  /** Changes nothing. Throws `dump_restore_failed` if the database server cannot be reached. */
  look(host: RemoteHost, connection: DumpConnection, signal: AbortSignal): Promise<DumpTarget>;
  /**
   * Replaces the content of the connection's database by that of a dump. Rethrows errors of `content`, and rolls back
   * if the database supports that. Throws `dump_restore_failed`.
   */
  restore(
    host: RemoteHost,
    connection: DumpConnection,
    content: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<void>;
}
