import { VARIABLES, type Variable } from '../../src/adapters/bootstrap/config-variables.ts';

/** docs/configuration.md, from the variables themselves. */
export function configurationPage(): string {
  const variables: readonly Variable<unknown>[] = Object.values(VARIABLES);
  return `# Configuration

Drover is configured by environment variables. All of them are optional. An empty variable counts as unset.

A wrong value stops the start. The message names every wrong variable, says what is wrong with it, and gives an
example; the exit code is 2. An unknown variable that begins with \`SERVICE_\` is told in a warning.

A variable marked as secret may also come from a file: \`NAME_FILE\` holds the path of the file, and one line end at
the end of the file is stripped. Setting both is refused. Secrets are never logged.

| Variable | Value | When unset |
|---|---|---|
${variables.map(({ name, type, otherwise, secret }) => `| [\`${name}\`](#${name.toLowerCase()}) | ${type}${secret ? ' (secret)' : ''} | ${otherwise} |`).join('\n')}

${variables.map(section).join('\n\n')}
`;
}

const section = ({ name, description, example, secret }: Variable<unknown>): string => `## ${name}

${description}${secret ? ` Or the file that \`${name}_FILE\` names.` : ''}

\`\`\`
${name}=${example}
\`\`\``;
