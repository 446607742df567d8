import { type Command, CommanderError } from 'commander';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { buildProgram } from './program.ts';
import { PrintingRunner } from './runner.ts';

/** Runs one command line (without the program's own name) and returns its exit code. Never throws. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let json = args.includes('--json');
  const runner = new PrintingRunner(context, () => json);
  const output = {
    writeOut: (text: string) => context.io.out(text),
    writeErr: (text: string) => context.io.err(text),
    // Errors are reported once, below.
    outputError: () => {},
  };
  const program = await buildProgram(runner, context.version, { args, output });
  // Once the line is understood, it is known whether the word was the option or another one's value.
  program.hook('preAction', () => {
    json = program.opts<{ json?: true }>().json === true;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return runner.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      runner.fail(error);
      return runner.exitCode;
    }
    if (error.exitCode === 0) return EXIT.done;
    // A command that lacks its verb has shown its help on standard error.
    if (error.code === 'commander.help') return EXIT.usage;
    runner.fail(
      Object.assign(new Error(usageText(error, commandIn(program, args))), { exitCode: EXIT.usage }),
    );
    return EXIT.usage;
  }
}

/** The error, the nearest name if there is one, and whose help to read. */
function usageText(error: CommanderError, command: Command): string {
  const [fault = '', guess] = error.message.replace(/^error: (command-argument )?/, '').split('\n');
  const sentence = /[.?!]$/.test(fault) ? fault : `${fault}.`;
  const hint = guess === undefined ? '' : ` ${guess.replace(/^\(|\)$/g, '')}`;
  return `${sentence}${hint}\nSee: ${nameOf(command)} --help`;
}

/** The command that the words name, as far as they name one. */
function commandIn(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args) {
    const below = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (below) command = below;
    else if (!word.startsWith('-')) break;
  }
  return command;
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
