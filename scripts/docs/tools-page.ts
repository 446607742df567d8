import { CATALOGUE } from '../../src/adapters/inbound/api/catalogue.ts';
import { inputJsonSchema, outputJsonSchema } from '../../src/adapters/inbound/api/json-schema.ts';
import type { Operation, ToolForm } from '../../src/adapters/inbound/api/operation.ts';
import { INSTRUCTIONS } from '../../src/adapters/inbound/mcp/drover-server.ts';
import { ARGUMENTS, fieldTable, table } from './markdown.ts';
import { membersOf } from './schema-words.ts';

type Tool = Operation & { readonly tool: ToolForm };

/** docs/tools.md, from the catalogue. */
export function toolsPage(): string {
  const tools = CATALOGUE.filter((entry): entry is Tool => entry.tool !== undefined);
  return `# Tools for agents

The service offers these tools at \`/mcp\` (Streamable HTTP, protocol versions 2024-10-07 to 2025-11-25 and 2026-07-28),
and \`drover-mcp\` offers the same over standard input and output. Tools whose scope a token lacks are not listed;
without the scope \`read\` there are no tools.

${table(['Tool', 'Scope', 'Changes something', 'Does'], tools.map(overviewRow))}

Each result is returned both as \`structuredContent\` and as text. A refused call returns \`isError\` and a text
with \`{"ok": false, "status", "code", "detail"}\`; the codes are in [errors](errors.md).

Instructions that agents receive:

\`\`\`text
${INSTRUCTIONS}
\`\`\`

${tools.map(section).join('\n\n')}
`;
}

const overviewRow = (tool: Tool): readonly string[] => [
  `[\`${tool.name}\`](#${tool.name})`,
  tool.scope,
  tool.tool.hints.readOnlyHint ? 'no' : 'yes',
  tool.title,
];

function section({ name, tool, ...operation }: Tool): string {
  const input = inputJsonSchema(tool.input ?? operation.input);
  const output = outputJsonSchema(tool.output ?? operation.output);
  const fields = membersOf(input).map((field) => ({ ...field, place: ARGUMENTS }));
  const members = membersOf(output).map((field) => `\`${field.name}\`${field.required ? '' : ' (optional)'}`);
  return [
    `## ${name}`,
    tool.description ?? operation.description,
    ...(fields.length > 0 ? [fieldTable(fields)] : ['It has no arguments.']),
    `Returns ${members.join(', ')}.`,
    ...example({ ...operation, name, tool }),
  ].join('\n\n');
}

/** The operation's first example, as far as the tool takes its fields. */
function example({ tool, ...operation }: Tool): readonly string[] {
  const first = operation.examples.find(({ status, input }) => {
    return status === undefined && (tool.input ?? operation.input).safeParse(input).success;
  });
  return first ? [`${first.title}:\n\n\`\`\`json\n${JSON.stringify(first.input)}\n\`\`\``] : [];
}
