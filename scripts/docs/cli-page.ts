import type { Command } from 'commander';
import { buildProgram } from '../../src/adapters/inbound/cli/program.ts';
import type { Runner } from '../../src/adapters/inbound/cli/runner.ts';

/** Inspects commands without running them. */
const nothing = async (): Promise<void> => {};
const idleRunner: Runner = { run: () => nothing, read: () => nothing, bare: () => nothing };

/** docs/cli.md, from the commands' own help. */
export async function cliPage(): Promise<string> {
  const program = await buildProgram(idleRunner, '');
  return `# Command line

The command is \`bin/drover.mjs\` in the directory of Drover, which the first start prints with its full path. In that directory
\`npx drover\` does the same; anywhere else npx would download another package of that name. To type only \`drover\`, create
a link: \`sudo ln -s "$PWD/bin/drover.mjs" /usr/local/bin/drover\`.

Commands read and write the database directly, so they work whether or not the service is running. They need the same
configuration as the service (see [configuration](configuration.md)): the same \`SERVICE_DATA_DIR\` or
\`SERVICE_DATABASE_URL\`, and the same master key. Anyone who can read these can do everything.

## Output

Without \`--json\` the output is text. With \`--json\` standard output contains exactly one JSON value, in the
format of the REST API: an object, or for lists an object such as \`{"servers": [...], "total": 2}\`. There are then no
prompts, and progress goes to standard error.

An error is one sentence on standard error, with its [code](errors.md) in brackets, and one line for each invalid
input. With \`--json\`, standard output contains the problem (RFC 9457) as its one JSON value.

## Exit codes

| Code | Meaning |
|---|---|
| 0 | done |
| 1 | failed; also if a job that you waited for did not succeed, or if \`doctor\` found a problem |
| 2 | wrong usage or invalid configuration |
| 3 | refused; also if you answered a prompt with no |
| 4 | not found |
| 5 | conflict: a job of this type is already active, the name is taken, or the directory is not empty |
| 130 | interrupted with Ctrl-C; a job that you followed continues |

## Commands

Every command takes \`--json\` and \`--help\`.

${commands(program).map(section).join('\n\n')}
`;
}

/** The commands that do something, in the order of the help. */
function commands(command: Command): readonly Command[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  return below.length === 0 ? [command] : below.flatMap(commands);
}

function section(command: Command): string {
  let help = '';
  // Common options are described once, above.
  command.configureHelp({ showGlobalOptions: false }).configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return `### ${nameOf(command)}\n\n\`\`\`text\n${help.trim()}\n\`\`\``;
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
