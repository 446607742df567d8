import { isDomainError } from '../../../domain/base/errors.ts';
import { problemOf, problemType } from '../api/problem.ts';
import type { CliContext } from './context.ts';
import { errorText } from './errors.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { localTimes } from './local-time.ts';
import { openSession, type Reply, type Session } from './session.ts';
import { terminalSafe } from './status-line.ts';

/** Commander's arguments: the arguments, then the options, then the command itself. */
export type Action = (...given: unknown[]) => Promise<void>;

/** Each handler declares its parsed arguments and options. */
export type Handler = (session: Session, ...given: never[]) => Promise<Reply>;

type BareHandler = (context: CliContext, ...given: never[]) => Promise<Reply | number>;

/** Turns handlers into commander actions. The documents use one that runs nothing. */
export interface Runner {
  /** A command that works on the database; it is handed its arguments, then its options. */
  run(handler: Handler): Action;
  /** One that only reads the database: half of the program is not loaded for it. */
  read(handler: Handler): Action;
  /** A command that does without; it is handed the same. */
  bare(handler: BareHandler): Action;
}

/** Runs handlers, prints their answers, and keeps the exit code. */
export class PrintingRunner implements Runner {
  exitCode: number = EXIT.done;
  readonly #context: CliContext;
  readonly #json: () => boolean;

  constructor(context: CliContext, json: () => boolean) {
    this.#context = context;
    this.#json = json;
  }

  run(handler: Handler): Action {
    return this.#inSession(handler, false);
  }

  read(handler: Handler): Action {
    return this.#inSession(handler, true);
  }

  #inSession(handler: Handler, databaseOnly: boolean): Action {
    return async (...given) => {
      const session = await openSession(this.#context, { json: this.#json(), databaseOnly });
      // The last one is commander's own command.
      this.#print(await handler(session, ...(given.slice(0, -1) as never[])));
    };
  }

  bare(handler: BareHandler): Action {
    return async (...given) => {
      const answer = await handler(this.#context, ...(given.slice(0, -1) as never[]));
      if (typeof answer === 'number') this.exitCode = answer;
      else this.#print(answer);
    };
  }

  /** Reports an error: a sentence on standard error, and with --json the problem as the one JSON value. */
  fail(error: unknown): void {
    const { io, signal } = this.#context;
    if (signal.aborted) {
      io.err('Interrupted.\n');
      this.exitCode = EXIT.interrupted;
      return;
    }
    if (isDomainError(error)) {
      io.err(`drover: ${terminalSafe(localTimes(errorText(error)))}\n`);
      if (this.#json()) this.#printJson(problemOf(error));
      this.exitCode = exitCodeOf(error.code);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    io.err(`drover: ${terminalSafe(message)}\n`);
    this.exitCode = exitCodeIn(error) ?? EXIT.failed;
    if (!this.#json()) return;
    const usage = this.exitCode === EXIT.usage;
    const title = usage ? 'Wrong usage' : 'Failed';
    const code = usage ? 'invalid_request' : 'internal';
    this.#printJson({ type: problemType(code), title, status: usage ? 400 : 500, detail: message, code });
  }

  #print(reply: Reply): void {
    if (this.#json()) this.#printJson(reply.json);
    else this.#context.io.out(terminalSafe(localTimes(reply.text)));
    this.exitCode = reply.exitCode ?? EXIT.done;
  }

  #printJson(value: unknown): void {
    this.#context.io.out(`${JSON.stringify(value, null, 2)}\n`);
  }
}

/** Errors of the command line and of the configuration say themselves how the command ends. */
function exitCodeIn(error: unknown): number | null {
  const code = typeof error === 'object' && error !== null && 'exitCode' in error ? error.exitCode : null;
  return typeof code === 'number' ? code : null;
}
