import { CATALOGUE } from '../../src/adapters/catalogue/catalogue.ts';
import { openApiDocument } from '../../src/adapters/catalogue/openapi/document.ts';
import { ALWAYS, WITH_BODY, WITH_KEY } from '../../src/adapters/catalogue/openapi/error-replies.ts';
import {
  aboutOf,
  type Endpoint,
  groupsOf,
  inputsOf,
  type Reply,
  repliesOf,
  scopeOf,
} from '../../src/adapters/catalogue/openapi/reading.ts';
import { membersOf, typeWords } from '../../src/adapters/catalogue/openapi/schema-words.ts';
import { statusOf } from '../../src/adapters/catalogue/problem.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.ts';
import { fieldTable, table } from './markdown.ts';

const document = openApiDocument(CATALOGUE, { version: '', publicUrl: null });

/** What requests meet whatever they ask for; said once. */
const GENERAL = new Set<string>([
  ...ALWAYS,
  ...WITH_BODY,
  ...WITH_KEY,
  'read_scope_missing',
  'scope_missing',
]);

/** docs/rest.md, from the OpenAPI document. */
export function restPage(): string {
  const groups = groupsOf(document);
  const endpoints = groups.flatMap((group) => group.endpoints);
  return `# REST

A running service shows this page, with the replies of the examples, at \`/api/docs\`, and gives the same to programs as
OpenAPI 3.1 at \`/api/v1/openapi.json\`. Neither asks for a token.

${document.info.description}

Any request may be refused with ${named(ALWAYS)}; without its scope with 403 \`scope_missing\` (\`read_scope_missing\` for
\`read\`); one with a body with ${named(WITH_BODY)}; and one with a key with ${named(WITH_KEY)}. [Errors](errors.md) tells
what the codes mean.

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
const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-');

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
  const refusals = replies.filter(({ status }) => status >= 400);
  const shapes = done.map(({ status, content = {} }) => {
    const [type = '', media] = Object.entries(content)[0] ?? [];
    const members = media ? membersOf(media.schema).map(({ name }) => `\`${name}\``) : [];
    const words = media
      ? typeWords(media.schema).map((word) => (typeof word === 'string' ? word : word.shape))
      : [];
    return `Replies ${status}, \`${type}\`: ${members.length > 0 ? members.join(', ') : words.join('')}.`;
  });
  const own = refusals.flatMap(codesIn).filter((code) => !GENERAL.has(code));
  return [...shapes, ...(own.length === 0 ? [] : [`Refuses with ${named(own)}.`])].join('\n\n');
}

/** Codes with their statuses: `404 \`server_not_found\``, … */
const named = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `${statusOf(code)} \`${code}\``).join(', ');

/** A refusal's description has a paragraph for each of its codes. */
const codesIn = ({ description }: Reply): readonly ErrorCode[] =>
  ERROR_CODES.filter((code) => description.includes(`\`${code}\`:`));
