import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { KeyRing } from '../../application/ports/service/key-ring.ts';
import { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import type { CliContext, CliService } from '../inbound/cli/context.ts';
import { ProcessIo } from '../inbound/cli/process-io.ts';
import { runCli } from '../inbound/cli/run-cli.ts';
import { KeyFileRing, masterKeyPath } from '../outbound/storage/secrets/master-key-file.ts';
import { PinoLogger } from '../outbound/system/pino-logger.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import { type Config, readConfig } from './config.ts';
import type { Core } from './core.ts';
import { ADAPTER_PROGRAM, VERSION } from './version.ts';

/**
 * Runs a command line (without the program's own name) and returns its exit code. Loads only what a command needs:
 * the interfaces and all their dependencies take most of a second.
 */
export async function main(argv: string[]): Promise<number> {
  const interrupted = new AbortController();
  const open = { core: null as Core | null };
  const io = new ProcessIo();
  const config = (): Config => readConfig(process.env, (path) => readFileSync(path, 'utf8'));
  const context: CliContext = {
    version: VERSION,
    io,
    clock: new SystemClock(),
    actor: Actor.operator(`cli:${userName()}`),
    directory: process.cwd(),
    signal: interrupted.signal,
    open: async (databaseOnly) => {
      process.once('SIGINT', () => interrupted.abort());
      const read = config();
      const { openCore } = await import('./core.ts');
      open.core = await openCore(read, PinoLogger.toStderr(quieter(read.logLevel)), { databaseOnly });
      return serviceOf(open.core, read);
    },
    serve: async () => {
      const { serve } = await import('./serve.ts');
      const read = config();
      return serve(read, PinoLogger.toStderr(read.logLevel), (text) => io.out(text));
    },
    diagnose: async () => (await import('./diagnose.ts')).diagnose(config()),
    backups: async () => (await import('./service-backups.ts')).serviceBackups(config(), context.actor),
  };
  try {
    return await runCli(argv, context);
  } finally {
    await open.core?.close();
  }
}

function serviceOf(useCases: Core, config: Config): CliService {
  return {
    useCases,
    keyRing: (file) => keyRing(config, file),
    settings: {
      publicUrl: config.publicUrl,
      httpPort: config.httpPort,
      adapterPath: ADAPTER_PROGRAM,
      keyPassphrase: config.keyPassphrase?.reveal() ?? null,
    },
  };
}

function keyRing(config: Config, file: string | null): KeyRing {
  if (file !== null) return new KeyFileRing(file);
  if (config.masterKeys.length === 0) return new KeyFileRing(masterKeyPath(config.dataDir));
  throw new InvalidInput([
    {
      path: '/file',
      message:
        'The keys come from SERVICE_MASTER_KEY. If SERVICE_MASTER_KEY_FILE names a file, give it as --file; else change the variable yourself.',
    },
  ]);
}

/** A command's output must not drown in log lines: show only warnings and errors. */
const quieter = (level: Config['logLevel']): Config['logLevel'] => (level === 'info' ? 'warn' : level);

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under an id without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
