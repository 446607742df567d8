import type { UseCases } from '../../../application/base/parts.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { KeyRing } from '../../../application/ports/service/key-ring.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import type { Finding } from '../../../domain/fleet/finding.ts';
import type { Io } from './io.ts';
import type { ServiceBackups } from './service-backups.ts';

/** What the commands have to know of the configuration. */
export interface CliSettings {
  readonly publicUrl: string | null;
  readonly httpPort: number;
  /** Where the stdio adapter of this copy of Drover is. */
  readonly adapterPath: string;
  /** For `key import`, where nobody is there to be asked. */
  readonly keyPassphrase: string | null;
}

/** What a command works with. Opened for the commands that need it, so that help needs neither configuration nor database. */
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
  /** The person at the command line, as the audit log names them. */
  readonly actor: Actor;
  /** Relative paths on the command line begin here. */
  readonly directory: string;
  /** Aborted when the person interrupts the command. */
  readonly signal: AbortSignal;
  /** Reads the configuration and opens the database; called at most once. `databaseOnly`: what reaches hosts is not there. */
  readonly open: (databaseOnly: boolean) => Promise<CliService>;
  /** Runs the service until it is stopped; returns the exit code. */
  readonly serve: () => Promise<number>;
  /** Looks at what the service needs, as far as it gets. */
  readonly diagnose: () => Promise<readonly Finding[]>;
  /** Reads the configuration; nothing is opened yet. */
  readonly backups: () => Promise<ServiceBackups>;
}
