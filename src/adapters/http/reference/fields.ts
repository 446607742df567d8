import type { JsonSchema } from '../../catalogue/json-schema.ts';
import { type Html, html, type Part } from './html.ts';
import { inline } from './prose.ts';

/** A row of a table of fields. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
  /** `path`, `query`, `header` or `body`; absent for members of a reply. */
  readonly place?: string;
}

export const shapeId = (name: string): string => `shape-${name}`;

export function fieldTable(caption: string, fields: readonly Field[]): Html {
  const placed = fields.some(({ place }) => place !== undefined);
  return html`<table class="fields">
<caption>${caption}</caption>
<thead><tr><th scope="col">Field</th>${placed && html`<th scope="col" class="place">In</th>`}<th scope="col" class="type-head">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fields.map((field) => row(field, placed))}</tbody>
</table>`;
}

const row = ({ name, schema, required, description, place }: Field, placed: boolean): Html => html`
<tr><th scope="row"><code>${name}</code>${placed && required && html` <span class="required">required</span>`}</th>${placed && html`<td class="place">${place}</td>`}<td class="type">${typeOf(schema)}</td><td>${inline(sentences(description, choicesOf(schema), place && boundsOf(schema)))}</td></tr>`;

/** The members of an object's schema. */
export function membersOf(schema: JsonSchema): readonly Field[] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).map(([name, each]) => ({
    name,
    schema: each,
    required: required.includes(name),
    description: each['description'] as string | undefined,
  }));
}

const SHAPE = /^#\/components\/schemas\/(\w+)$/;

/** What a value looks like, in a few words; named shapes are links. */
export function typeOf(schema: JsonSchema): Part {
  const ref = schema['$ref'];
  const shape = typeof ref === 'string' ? SHAPE.exec(ref)?.[1] : undefined;
  if (shape !== undefined) return html`<a href="#${shapeId(shape)}">${shape}</a>`;
  const either = schema['anyOf'] as readonly JsonSchema[] | undefined;
  if (either) return either.map((each, index) => [index > 0 && ' or ', typeOf(each)]);
  if (schema['type'] === 'array') return [typeOf((schema['items'] ?? {}) as JsonSchema), '[]'];
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  if (schema['format'] === 'date-time') return 'time';
  return typeof schema['type'] === 'string' ? schema['type'] : 'any';
}

function choicesOf(schema: JsonSchema): string {
  const choices = mostTelling(schema)['enum'] as readonly unknown[] | undefined;
  return choices ? `One of ${choices.map((choice) => `\`${String(choice)}\``).join(', ')}` : '';
}

/** Default and limits of an input; of a reply they say nothing new. */
function boundsOf(schema: JsonSchema): string {
  const { minimum, maximum, maxLength } = mostTelling(schema);
  const fallback = schema['default'];
  return [
    ...(fallback === undefined ? [] : [`default \`${JSON.stringify(fallback)}\``]),
    ...(typeof minimum === 'number' ? [`at least ${minimum}`] : []),
    // The largest whole number that JSON's readers agree on is no limit of ours.
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`at most ${maximum}`] : []),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ].join(', ');
}

/** Of a list its entry's schema, and of what may be null the schema of what is not. */
function mostTelling(schema: JsonSchema): JsonSchema {
  const either = schema['anyOf'] as readonly JsonSchema[] | undefined;
  const some = either?.find((each) => each['type'] !== 'null');
  if (some) return mostTelling(some);
  return schema['type'] === 'array' ? mostTelling((schema['items'] ?? {}) as JsonSchema) : schema;
}

const sentences = (...texts: readonly (string | undefined)[]): string =>
  texts
    .flatMap((text) => (text ? [`${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`] : []))
    .join(' ');
