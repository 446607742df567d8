import { type AgentClient, clientSnippets } from '../../src/application/access/client-snippets.ts';

/** Each client's file in examples/clients: with the name that the client expects. */
const FILES: Readonly<Record<AgentClient, string>> = {
  claude: 'claude/.mcp.json',
  cursor: 'cursor/.cursor/mcp.json',
  vscode: 'vscode/.vscode/mcp.json',
  codex: 'codex/.codex/config.toml',
  json: 'json/client.json',
  toml: 'toml/client.toml',
  stdio: 'stdio/client.json',
};

const FOLDER = 'examples/clients';

const snippets = clientSnippets({
  publicUrl: 'https://drover.example.org:8443',
  secret: '<API_TOKEN>',
  label: 'drover',
});

/** A file for each client, and a page that describes them. */
export const CLIENT_EXAMPLES: readonly { readonly path: string; readonly text: () => string }[] = [
  ...snippets.map(({ client, text }) => ({ path: `${FOLDER}/${FILES[client]}`, text: () => text })),
  { path: `${FOLDER}/README.md`, text: readme },
];

function readme(): string {
  return `# Client files

What \`drover token create --client NAME\` prints, for a service at \`https://drover.example.org:8443\`. Put your own
address and, for \`<API_TOKEN>\`, the secret of your own token. [Agents](../../docs/agents.md) has more.

| \`--client\` | For | File | It belongs into |
|---|---|---|---|
${snippets.map(({ client, title, file }) => `| \`${client}\` | ${title} | [${FILES[client]}](${FILES[client]}) | ${file} |`).join('\n')}

${snippets
  .filter(({ notes }) => notes.length > 0)
  .map(({ title, notes }) => `## ${title}\n\n${notes.map((note) => `- ${asMarkdown(note)}`).join('\n')}`)
  .join('\n\n')}
`;
}

/** A command that a note ends with is set as such. */
const asMarkdown = (note: string): string => note.replace(/: ((?:claude|codex) .*)$/, ': `$1`');
