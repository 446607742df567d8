import type { UseCases } from '../../../application/base/parts.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { KeyRing } from '../../../application/ports/service/key-ring.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import type { Finding } from '../../../domain/fleet/finding.ts';
import type { Io } from './io.ts';
import type { ServiceBackups } from './service-backups.ts';

/** The parts of the configuration that commands need. */
export interface CliSettings {
  readonly publicUrl: string | null;
  readonly httpPort: number;
  /** The path of this copy's stdio adapter. */
  readonly adapterPath: string;
  /** For `key import` without a terminal. */
  readonly keyPassphrase: string | null;
}

/**
 * A command's dependencies. Opened only for commands that need them, so that help requires neither configuration nor
 * database.
 */
export interface CliService {
  readonly useCases: UseCases;
  readonly settings: CliSettings;
  /** The master keys in a file; `null` takes the one in the data directory. Throws `invalid_input` if they are configured. */
  readonly keyRing: (file: string | null) => KeyRing;
}

/** All that the command line is given. */
export interface CliContext {
  readonly version: string;
  readonly io: Io;
  readonly clock: Clock;
  /** The operator, as the audit log names them. */
  readonly actor: Actor;
  /** The base of relative paths on the command line. */
  readonly directory: string;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  /**
   * Reads the configuration and opens the database; called at most once. `databaseOnly`: without the parts that
   * connect to hosts.
   */
  readonly open: (databaseOnly: boolean) => Promise<CliService>;
  /** Runs the service until it is stopped; returns the exit code. */
  readonly serve: () => Promise<number>;
  /** Checks what the service needs, as far as possible. */
  readonly diagnose: () => Promise<readonly Finding[]>;
  /** Reads the configuration; nothing is opened yet. */
  readonly backups: () => Promise<ServiceBackups>;
}
