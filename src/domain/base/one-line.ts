import { withoutEscapes } from './visible-text.ts';

/**
 * A text as one line of at most `most` characters, without invisible characters: control characters become blanks, a
 * text that is too long ends in `…`.
 */
export function oneLine(text: string, most: number): string {
  const line = withoutEscapes(text)
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  if (line.length <= most) return line;
  // Looking at the first units only keeps a huge text cheap: a character has two at most, and stays whole.
  const characters = Array.from(line.slice(0, 2 * most + 2));
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
