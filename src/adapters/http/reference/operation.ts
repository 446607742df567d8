import {
  isReference,
  type MediaType,
  type OpenApiDocument,
  type OperationObject,
  type Reference,
  type Response,
} from '../../catalogue/openapi/types.ts';
import { type Field, fieldTable, membersOf, typeOf } from './fields.ts';
import { type Html, html } from './html.ts';
import { inline, prose } from './prose.ts';

type Components = OpenApiDocument['components'];

/** An operation at its address. */
export interface Endpoint {
  readonly method: string;
  /** With the prefix of the API. */
  readonly path: string;
  readonly operation: OperationObject;
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

export function operationSection({ method, path, operation }: Endpoint, components: Components): Html {
  const { operationId, summary, description, security } = operation;
  const scope = security[0]?.['bearer']?.[0];
  const inputs = inputsOf(operation, components);
  return html`
<section class="operation" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a> <span class="scope">${scope === undefined ? 'no token' : `scope ${scope}`}</span></h3>
<p class="route">${methodBadge(method)} <code>${path}</code></p>
${prose(withoutScope(description))}
${inputs.length > 0 && fieldTable('Input', inputs)}
${operation['x-codeSamples'].map(({ label, source }) => sample(label, source))}
${repliesOf(operation, components)}
</section>`;
}

/** The badge says it already. */
const withoutScope = (description: string): string => description.replace(/\n\nNeeds the scope `\w+`\.$/, '');

function inputsOf(
  { parameters = [], requestBody }: OperationObject,
  components: Components,
): readonly Field[] {
  const outside = parameters.flatMap((each) => {
    const found = isReference(each) ? components.parameters[lastPart(each)] : each;
    return found ? [{ ...found, place: found.in }] : [];
  });
  const body = requestBody?.content['application/json']?.schema;
  return [...outside, ...(body ? membersOf(body).map((field) => ({ ...field, place: 'body' })) : [])];
}

const lastPart = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);

function sample(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`;
}

type Reply = readonly [status: string, reply: Response];

function repliesOf({ responses }: OperationObject, components: Components): readonly (Html | false)[] {
  const replies = Object.entries(responses).flatMap(([status, each]): Reply[] => {
    const reply = isReference(each) ? components.responses[lastPart(each)] : each;
    return reply ? [[status, reply]] : [];
  });
  const refusals = replies.filter(([status]) => Number(status) >= 400);
  return [
    ...replies.filter(([status]) => Number(status) < 400).map(success),
    refusals.length > 0 && refusalsOf(refusals),
  ];
}

function success([status, { description, content = {} }]: Reply): Html {
  return html`<details><summary>Reply <b>${status}</b> ${description}</summary>
${Object.entries(content).map(([type, media]) => [bodyOf(type, media), examplesOf(status, media)])}
</details>`;
}

function bodyOf(type: string, { schema }: MediaType): Html {
  const members = membersOf(schema);
  return members.length > 0 ? fieldTable(type, members) : html`<p>${type}: ${typeOf(schema)}</p>`;
}

const refusalsOf = (
  refusals: readonly Reply[],
): Html => html`<details><summary>Refusals and failures</summary>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code and meaning</th></tr></thead>
<tbody>${refusals.map(
  ([status, { description }]) => html`
<tr><th scope="row">${status}</th><td>${description.split('\n\n').map((line) => html`<div>${inline(line)}</div>`)}</td></tr>`,
)}</tbody></table>
${refusals.map(([status, { content = {} }]) => Object.values(content).map((media) => examplesOf(status, media)))}
</details>`;

const examplesOf = (status: string, { examples = {} }: MediaType): readonly Html[] =>
  Object.values(examples).map(({ summary, value }) =>
    sample(`${status}: ${summary}`, JSON.stringify(value, null, 2)),
  );
