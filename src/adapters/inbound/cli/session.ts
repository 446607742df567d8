import type { UseCases } from '../../../application/base/parts.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { CliContext, CliService, CliSettings } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { localTimes, type Text } from './local-time.ts';
import { terminalSafe } from './status-line.ts';

/** A command's answer: one JSON value for scripts, a text for people. */
export interface Reply {
  readonly json: unknown;
  readonly text: Text;
  /** If it is not 0. */
  readonly exitCode?: ExitCode;
}

/** One running command. */
export interface Session {
  readonly useCases: UseCases;
  readonly keyRing: CliService['keyRing'];
  readonly settings: CliSettings;
  readonly actor: Actor;
  readonly io: Io;
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Whether the answer is for a script. Then there are no questions. */
  readonly json: boolean;
  /** Whether there is a user to ask. */
  readonly canAsk: boolean;
  now(): Instant;
  /** Prints something before the answer: on standard output for people, on standard error with JSON. */
  note(line: Text): void;
}

export async function openSession(
  context: CliContext,
  { json, databaseOnly }: { readonly json: boolean; readonly databaseOnly: boolean },
): Promise<Session> {
  const { useCases, settings, keyRing } = await context.open(databaseOnly);
  const { io, actor, directory, signal, clock } = context;
  return {
    useCases,
    keyRing,
    settings,
    actor,
    io,
    directory,
    signal,
    json,
    canAsk: io.interactive && !json,
    now: () => clock.now(),
    note: (line) => {
      const text = `${terminalSafe(localTimes(line))}\n`;
      if (json) io.err(text);
      else io.out(text);
    },
  };
}
