import { ADAPTER_VARIABLES } from '../../src/adapters/bootstrap/adapter-variables.ts';
import { VARIABLES } from '../../src/adapters/bootstrap/config-variables.ts';
import type { Variable, Variables } from '../../src/adapters/bootstrap/read-variables.ts';

/** docs/configuration.md, from the variables themselves. */
export function configurationPage(): string {
  return `# Configuration

Drover is configured by environment variables. All of them are optional. An empty variable counts as unset.

A wrong value stops the start. The message names every wrong variable, says what is wrong with it, and gives an
example; the exit code is 2. Unknown \`SERVICE_\` variables cause a warning.

A variable marked as secret may also come from a file: \`NAME_FILE\` holds the path of the file, and one line end at
the end of the file is stripped. Setting both is refused. Secrets are never logged.

${table(VARIABLES)}

${sections(VARIABLES)}

## The stdio adapter

\`drover-mcp\` is a separate program, for [agents that start one](agents.md). It reads these, and none of the above.

${table(ADAPTER_VARIABLES)}

${sections(ADAPTER_VARIABLES)}
`;
}

const table = (variables: Variables): string =>
  [
    '| Variable | Value | When unset |',
    '|---|---|---|',
    ...Object.values(variables).map(
      ({ name, type, otherwise, secret }) =>
        `| [\`${name}\`](#${name.toLowerCase()}) | ${type}${secret ? ' (secret)' : ''} | ${otherwise} |`,
    ),
  ].join('\n');

const sections = (variables: Variables): string => Object.values(variables).map(section).join('\n\n');

const section = ({ name, description, example, secret }: Variable<unknown>): string => `## ${name}

${description}${secret ? ` Or the file that \`${name}_FILE\` names.` : ''}

\`\`\`
${name}=${example}
\`\`\``;
