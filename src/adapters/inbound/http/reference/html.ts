/** Safe HTML. Only `html` creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of a template: text is escaped, safe HTML is inserted unchanged, lists are joined, and null is empty. */
export type Part = string | number | Html | readonly Part[] | null | undefined | false;

/** Fills values into a template, safe between tags and within quoted attributes. */
export const html = (template: readonly string[], ...values: readonly Part[]): Html =>
  new Html(template.reduce((page, text, index) => page + written(values[index - 1]) + text));

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(written).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
