import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { DUMP_RULES } from '../../domain/backups/dump.ts';
import { hookWords } from '../../domain/backups/hook.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { SourceDumps } from './source-dumps.ts';
import type { SourceHooks } from './source-hooks.ts';

/** For all dumps and hooks of a source: each answers in a second if it answers at all. */
const LIMIT_MS = 90_000;

/** Whether something that a backup of a source needs on the host is there. */
export interface SourceCheck {
  readonly kind: 'hook' | 'dump';
  readonly name: string;
  /** What was found, for people. */
  readonly detail: string;
  /** Why a backup would fail; `null` if it would not. */
  readonly problem: DomainError | null;
}

/** Looks on the host whether a source's hooks and dumps would work, without stopping or dumping anything. */
export class SourceChecks extends UseCase<
  never,
  { readonly sourceHooks: Pick<SourceHooks, 'check'>; readonly sourceDumps: Pick<SourceDumps, 'check'> }
> {
  /** Hooks first. Throws as `RemoteHost` does, and `host_timeout`. */
  async of(
    source: Pick<BackupSource, 'id' | 'hooks'>,
    host: RemoteHost,
    signal: AbortSignal,
  ): Promise<readonly SourceCheck[]> {
    signal.throwIfAborted();
    const over = new AbortController();
    const leave = (): void => over.abort(signal.reason);
    signal.addEventListener('abort', leave);
    const late = new DomainError('host_timeout', 'The host took too long to check the hooks and dumps.');
    const timer = setTimeout(() => over.abort(late), LIMIT_MS);
    try {
      return await this.#all(source, host, over.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  async #all(
    { id, hooks }: Pick<BackupSource, 'id' | 'hooks'>,
    host: RemoteHost,
    signal: AbortSignal,
  ): Promise<readonly SourceCheck[]> {
    const states = await this.deps.sourceHooks.check(host, hooks, signal);
    const dumps = await this.deps.sourceDumps.check(id, host, signal);
    return [
      ...hooks.map((hook, at) => {
        const problem = states[at]?.problem ?? null;
        const found = states[at]?.isRunning
          ? 'running: stopped for the backup and started again'
          : 'not running: nothing to stop';
        return { kind: 'hook', name: hookWords(hook), detail: problem?.message ?? found, problem } as const;
      }),
      ...dumps.map(({ dump, problem }) => {
        const found =
          dump.kind === 'mongodb'
            ? 'the client is installed; the connection was not tested'
            : 'the database answers';
        const name = `${dump.name} (${DUMP_RULES[dump.kind].label})`;
        return { kind: 'dump', name, detail: problem?.message ?? found, problem } as const;
      }),
    ];
  }
}
