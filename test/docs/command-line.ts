import { CommanderError } from 'commander';
import { buildProgram } from '../../src/adapters/inbound/cli/program.ts';
import type { Runner } from '../../src/adapters/inbound/cli/runner.ts';

const nothing = async (): Promise<void> => {};
const idleRunner: Runner = { run: () => nothing, read: () => nothing, bare: () => nothing };

/** The fault of a drover command line; `null` if its verb, arguments and options are valid. Runs nothing. */
export async function droverFault(command: string): Promise<string | null> {
  const [, ...args] = words(command);
  const silent = { writeOut: () => {}, writeErr: () => {}, outputError: () => {} };
  try {
    await (await buildProgram(idleRunner, '', { output: silent })).parseAsync(args, { from: 'user' });
    return null;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return null;
    return error instanceof Error ? error.message : String(error);
  }
}

/** Splits as a shell does, quotes and all, up to a redirection or a pipe. */
const words = (command: string): readonly string[] =>
  [...(command.split(/ [|<>] /)[0] ?? '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
