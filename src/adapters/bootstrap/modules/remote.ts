import { HOOK_TIMES } from '../../../application/backups/hook-runs.ts';
import { SourceHooks } from '../../../application/backups/source-hooks.ts';
import { JobRunners } from '../../../application/jobs/runner.ts';
import type { JailFileSystems } from '../../../application/ports/files/jail-fs.ts';
import { ProcessMetrics } from '../../inbound/metrics/process-metrics.ts';
import { EemeliYamlText } from '../../outbound/system/eemeli-yaml-text.ts';
import { ownProcess } from '../../outbound/system/own-process.ts';
import { ScryptPasswordHasher } from '../../outbound/system/scrypt-password-hasher.ts';
import { TotpCodes } from '../../outbound/system/totp-codes.ts';
import { ZxcvbnStrength } from '../../outbound/system/zxcvbn-strength.ts';
import type { Makers, Program } from '../program.ts';
import { filePorts } from './files.ts';
import { hostPorts, type MadeUp } from './hosts.ts';
import { messagePorts } from './messages.ts';
import { RUNNERS } from './runners.ts';

/** Slow to load, and not needed by lists. */
const heavyPorts = {
  hasher: () => new ScryptPasswordHasher(),
  strength: () => new ZxcvbnStrength(),
  codes: () => new TotpCodes(),
  yaml: () => new EemeliYamlText(),
  sourceHooks: ({ runs, clock }) =>
    new SourceHooks({ runs, clock, process: ownProcess(), times: HOOK_TIMES }),
  processMetrics: ({ database }) => new ProcessMetrics({ pool: () => database.pool() }),
} satisfies Partial<Makers>;

/**
 * Everything that connects to other machines, and the parts of jobs that need it. Half of the program: read-only
 * commands do not load it.
 */
export const remotePorts = (madeUp: MadeUp, program: () => Program) =>
  ({
    ...hostPorts(madeUp),
    ...filePorts,
    ...messagePorts,
    ...heavyPorts,
    runners: (parts) =>
      madeUp.runners?.(program(), parts) ?? new JobRunners(RUNNERS.map((runner) => program().get(runner))),
    ...(madeUp.jails ? { jails: () => madeUp.jails as JailFileSystems } : {}),
  }) satisfies Partial<Makers>;

export type RemotePorts = ReturnType<typeof remotePorts>;
