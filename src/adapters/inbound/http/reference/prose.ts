import { type Html, html, type Part } from './html.ts';

/** Text of the document: paragraphs with an empty line between, names and values in backticks. */
export const prose = (text: string): readonly Html[] =>
  text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);

/** Every other part of a text that is split at backticks lay between two of them. */
export const inline = (text: string): readonly Part[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
