import type { DumpConnection } from '../../src/domain/backups/dump.ts';
import type { BackupHook } from '../../src/domain/backups/hook.ts';
import type { DomainError } from '../../src/domain/base/errors.ts';

/** Hooks that run and databases that answer, unless a fault is set by the name of the hook or dump. */
export class FakeSourceChecks {
  readonly faults = new Map<string, DomainError>();
  readonly sourceHooks = {
    check: async (_host: unknown, hooks: readonly BackupHook[]) =>
      hooks.map(({ name }) => ({ isRunning: true, problem: this.faults.get(name) ?? null })),
  };
  readonly dumpClient = {
    check: async (_host: unknown, { name }: DumpConnection) => {
      const fault = this.faults.get(name);
      if (fault) throw fault;
    },
  };
}
