import type { JsonSchema } from '../../api/json-schema.ts';
import { type Field, meaningOf, typeWords } from '../../api/openapi/schema-words.ts';
import { type Html, html, type Part } from './html.ts';
import { inline } from './prose.ts';

export const shapeId = (name: string): string => `shape-${name}`;

export function fieldTable(caption: string, fields: readonly Field[]): Html {
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
export const typeOf = (schema: JsonSchema): readonly Part[] =>
  typeWords(schema).map((word) =>
    typeof word === 'string' ? word : html`<a href="#${shapeId(word.shape)}">${word.shape}</a>`,
  );
