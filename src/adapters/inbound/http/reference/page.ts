import { type Group, groupsOf, prefixOf } from '../../api/openapi/reading.ts';
import { membersOf } from '../../api/openapi/schema-words.ts';
import type { OpenApiDocument } from '../../api/openapi/types.ts';
import { fieldTable, shapeId } from './fields.ts';
import { type Html, html } from './html.ts';
import { methodBadge, operationSection } from './operation.ts';
import { inline, prose } from './prose.ts';

/** Where the page's style sheet is. */
export const STYLE_PATH = '/api/docs/style.css';

/** The reference as a page of its own: no script, nothing from elsewhere. */
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
