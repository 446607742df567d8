import type { JsonSchema } from '../../api/json-schema.ts';
import {
  aboutOf,
  type Endpoint,
  type Group,
  groupsOf,
  inputsOf,
  prefixOf,
  type Refusal,
  type Reply,
  refusalsOf,
  repliesOf,
  scopeOf,
} from '../../api/openapi/reading.ts';
import { type Field, meaningOf, membersOf, typeWords } from '../../api/openapi/schema-words.ts';
import type { MediaType, OpenApiDocument, OperationObject } from '../../api/openapi/types.ts';
import { type Html, html, type Part } from './html.ts';

/** The address of the page's style sheet. */
export const STYLE_PATH = '/api/docs/style.css';

/** The reference as a separate page: no script, nothing from other sites. */
export function referencePage(document: OpenApiDocument): string {
  const { info } = document;
  const groups = groupsOf(document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><strong>${info.title} API</strong> <span class="version">${info.version}</span></header>
${contents(groups)}
<main id="content">
<section id="about">
<h1>${info.title} API</h1>
<p class="lead">${info.summary}</p>
${prose(info.description)}
<p>For programs the same is there as <a href="${prefixOf(document)}/openapi.json">OpenAPI 3.1</a>.</p>
</section>
${groups.map(
  (group) => html`
<section id="${groupId(group)}"><h2>${group.name}</h2><p>${inline(group.description)}</p>
${group.endpoints.map((endpoint) => operationSection(endpoint, document))}
</section>`,
)}
${errorCodes(document)}
${shapes(document)}
</main>
</body>
</html>
`.text;
}

const contents = (groups: readonly Group[]): Html => html`<nav aria-label="Contents">
<a href="#about">About</a>
${groups.map(
  (group) => html`<a href="#${groupId(group)}">${group.name}</a>
<ul>${group.endpoints.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}">${methodBadge(method)} ${operation.summary}</a></li>`,
  )}</ul>
`,
)}<a href="#errors">Error codes</a>
<a href="#shapes">Shapes</a>
</nav>`;

const groupId = ({ name }: Group): string => `group-${name.toLowerCase()}`;

const errorCodes = (document: OpenApiDocument): Html => html`
<section id="errors"><h2>Error codes</h2>
<p>A code does not change its meaning between versions. Those marked as general have nothing to do with what is asked
for: any request may meet them, where it has a body or a key, or goes to an address that is not there.</p>
<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${Object.entries(document['x-error-codes']).map(
  ([code, { status, general, meaning }]) => html`
<tr id="error-${code}"><th scope="row"><code>${code}</code>${general && html` <span class="general">general</span>`}</th><td>${status}</td><td>${inline(meaning)}</td></tr>`,
)}</tbody></table>
</section>`;

const shapes = ({ components }: OpenApiDocument): Html => html`
<section id="shapes"><h2>Shapes</h2>
${Object.entries(components.schemas).map(
  ([
    name,
    schema,
  ]) => html`<section class="shape" id="${shapeId(name)}">${fieldTable(name, membersOf(schema))}</section>
`,
)}
</section>`;

const methodBadge = (method: string): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

function operationSection({ method, path, operation }: Endpoint, document: OpenApiDocument): Html {
  const { operationId, summary } = operation;
  const scope = scopeOf(operation);
  const inputs = inputsOf(operation, document);
  return html`
<section class="operation" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a> <span class="scope">${scope === undefined ? 'no token' : `scope ${scope}`}</span></h3>
<p class="route">${methodBadge(method)} <code>${path}</code></p>
${prose(aboutOf(operation))}
${inputs.length > 0 && fieldTable('Input', inputs)}
${operation['x-codeSamples'].map(({ label, source }) => sample(label, source))}
${replySections(operation, document)}
</section>`;
}

const sample = (title: string, text: string): Html =>
  html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`;

function replySections(operation: OperationObject, document: OpenApiDocument): readonly Part[] {
  const replies = repliesOf(operation, document);
  const refusals = refusalsOf(operation, document);
  return [
    ...replies.filter(({ status }) => status < 400).map(success),
    refusals.length > 0 &&
      html`<p class="refusals">Refuses with ${refusals.map((refusal) => [refusalLink(refusal), ' '])}</p>`,
    ...replies.filter(({ status }) => status >= 400).map(examplesOf),
  ];
}

const refusalLink = ({ status, code }: Refusal): Html =>
  html`<a href="#error-${code}">${status}&nbsp;<code>${code}</code></a>`;

const success = (
  reply: Reply,
): Html => html`<details><summary>Reply <b>${reply.status}</b> ${reply.description}</summary>
${Object.entries(reply.content ?? {}).map(([type, media]) => bodyOf(type, media))}
${examplesOf(reply)}
</details>`;

function bodyOf(type: string, { schema }: MediaType): Html {
  const members = membersOf(schema);
  return members.length > 0 ? fieldTable(type, members) : html`<p>${type}: ${typeOf(schema)}</p>`;
}

const examplesOf = ({ status, content = {} }: Reply): readonly Html[] =>
  Object.values(content)
    .flatMap(({ examples = {} }) => Object.values(examples))
    .map(({ summary, value }) => sample(`${status}: ${summary}`, JSON.stringify(value, null, 1)));

const shapeId = (name: string): string => `shape-${name}`;

function fieldTable(caption: string, fields: readonly Field[]): Html {
  const placed = fields.some(({ place }) => place !== undefined);
  return html`<table class="fields">
<caption>${caption}</caption>
<thead><tr><th scope="col">Field</th>${placed && html`<th scope="col">In</th>`}<th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fields.map((field) => row(field, placed))}</tbody>
</table>`;
}

function row(field: Field, placed: boolean): Html {
  const { name, schema, required, place } = field;
  return html`
<tr><th scope="row"><code>${name}</code>${placed && required && html` <span class="required">required</span>`}</th>${placed && html`<td>${place}</td>`}<td>${typeOf(schema)}</td><td>${inline(meaningOf(field))}</td></tr>`;
}

/** A type in words, the names of shapes as links. */
const typeOf = (schema: JsonSchema): readonly Part[] =>
  typeWords(schema).map((word) =>
    typeof word === 'string' ? word : html`<a href="#${shapeId(word.shape)}">${word.shape}</a>`,
  );

/** Text of the document: paragraphs with an empty line between, names and values in backticks. */
const prose = (text: string): readonly Html[] =>
  text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** Every other part of a text that is split at backticks lay between two of them. */
const inline = (text: string): readonly Part[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
