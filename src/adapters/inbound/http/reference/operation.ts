import {
  aboutOf,
  type Endpoint,
  inputsOf,
  type Refusal,
  type Reply,
  refusalsOf,
  repliesOf,
  scopeOf,
} from '../../api/openapi/reading.ts';
import { membersOf } from '../../api/openapi/schema-words.ts';
import type { MediaType, OpenApiDocument, OperationObject } from '../../api/openapi/types.ts';
import { fieldTable, typeOf } from './fields.ts';
import { type Html, html, type Part } from './html.ts';
import { prose } from './prose.ts';

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

export function operationSection({ method, path, operation }: Endpoint, document: OpenApiDocument): Html {
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
