import { CATALOGUE } from '../../src/adapters/inbound/api/catalogue.ts';
import { openApiDocument } from '../../src/adapters/inbound/api/openapi/document.ts';
import { fieldTable, table } from './markdown.ts';
import {
  aboutOf,
  type Endpoint,
  generalRefusals,
  groupsOf,
  inputsOf,
  type Refusal,
  refusalsOf,
  repliesOf,
  scopeOf,
} from './reading.ts';
import { membersOf, typeWords } from './schema-words.ts';

const document = openApiDocument(CATALOGUE, { version: '', publicUrl: null });

/** docs/rest.md, from the OpenAPI document. */
export function restPage(): string {
  const groups = groupsOf(document);
  const endpoints = groups.flatMap((group) => group.endpoints);
  return `# REST

A running service describes the same API as OpenAPI 3.1, with example responses, at \`/api/v1/openapi.json\`. No token is needed.

${document.info.description}

Each operation below lists its own errors. In addition, any request can fail with
${named(generalRefusals(document))}. [Errors](errors.md) explains the codes.

${table(['Method', 'Address', 'Scope', 'Does'], endpoints.map(overviewRow))}

${groups.map(({ name, description, endpoints: each }) => `## ${name}\n\n${description}\n\n${each.map(section).join('\n\n')}`).join('\n\n')}

## Shapes

${Object.entries(document.components.schemas)
  .map(([name, schema]) => `### ${name}\n\n${fieldTable(membersOf(schema))}`)
  .join('\n\n')}
`;
}

const overviewRow = ({ method, path, operation }: Endpoint): readonly string[] => [
  method.toUpperCase(),
  `\`${path}\``,
  scopeOf(operation) ?? 'none',
  `[${operation.summary}](#${anchor(operation.summary)})`,
];

/** As GitHub and others make anchors of headings. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

function section({ method, path, operation }: Endpoint): string {
  const inputs = inputsOf(operation, document);
  const samples = operation['x-codeSamples'].map(
    ({ label, source }) => `${label}:\n\n\`\`\`sh\n${source}\n\`\`\``,
  );
  return [
    `### ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    aboutOf(operation),
    ...(inputs.length > 0 ? [fieldTable(inputs)] : []),
    ...samples,
    repliesText(operation),
  ].join('\n\n');
}

function repliesText(operation: Endpoint['operation']): string {
  const replies = repliesOf(operation, document);
  const done = replies.filter(({ status }) => status < 400);
  const shapes = done.map(({ status, content = {} }) => {
    const [type = '', media] = Object.entries(content)[0] ?? [];
    const members = media ? membersOf(media.schema).map(({ name }) => `\`${name}\``) : [];
    const words = media
      ? typeWords(media.schema).map((word) => (typeof word === 'string' ? word : word.shape))
      : [];
    return `Returns ${status}, \`${type}\`: ${members.length > 0 ? members.join(', ') : words.join('')}.`;
  });
  const own = refusalsOf(operation, document);
  return [...shapes, ...(own.length === 0 ? [] : [`Errors: ${named(own)}.`])].join('\n\n');
}

/** Codes with their statuses: `404 \`server_not_found\``, … */
const named = (refusals: readonly Refusal[]): string =>
  refusals.map(({ status, code }) => `${status} \`${code}\``).join(', ');
