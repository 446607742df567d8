import type { ComponentChildren } from 'preact';

/** The sixteen colours of terminals, as classes: the page's own colours decide how they look in either theme. */
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** A line with too many pieces is shown without its colors. */
const MAX_PIECES = 400;

/** Control sequences: CSI (of which `m` colours), OSC such as titles and links, and single escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const SEQUENCE = /\u001b(?:\[([0-9;:]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
/** Other terminal control and text direction characters; they are shown as a mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

interface Style {
  readonly colour: string | null;
  readonly bold: boolean;
}
const PLAIN: Style = { colour: null, bold: false };

/** A line as a terminal would show it: the text before a lone carriage return is overwritten. */
const lastWritten = (line: string): string => {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.slice(whole.lastIndexOf('\r') + 1);
};

const shown = (text: string): string => text.replaceAll(CONTROLS, '\ufffd');

/** The text of a line without any control sequence, as it is searched. */
export const plainLine = (line: string): string => shown(lastWritten(line).replaceAll(SEQUENCE, ''));

/** A line of a terminal's output with its colours. Nothing in it is markup. */
export function AnsiLine({ line }: { readonly line: string }) {
  const text = lastWritten(line);
  if (!text.includes('\u001b')) return <>{shown(text)}</>;
  const pieces: ComponentChildren[] = [];
  let style = PLAIN;
  let at = 0;
  const add = (piece: string): void => {
    if (piece === '') return;
    const names = [style.colour === null ? '' : `ansi-${style.colour}`, style.bold ? 'ansi-bold' : ''];
    const classes = names.filter(Boolean).join(' ');
    pieces.push(classes === '' ? shown(piece) : <span class={classes}>{shown(piece)}</span>);
  };
  for (const found of text.matchAll(SEQUENCE)) {
    add(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] === 'm') style = restyled(style, found[1] ?? '');
    if (pieces.length > MAX_PIECES) return <>{plainLine(line)}</>;
  }
  add(text.slice(at));
  return <>{pieces}</>;
}

/** Select graphic rendition, ECMA-48 8.3.117. Backgrounds and the colours beyond sixteen are left out. */
function restyled(before: Style, parameters: string): Style {
  let style = before;
  const codes = parameters.split(/[;:]/).map(Number);
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0) style = PLAIN;
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 22) style = { ...style, bold: false };
    else if (code >= 30 && code <= 37) style = { ...style, colour: COLOURS[code - 30] ?? null };
    else if (code >= 90 && code <= 97) style = { ...style, colour: COLOURS[code - 90] ?? null };
    else if (code === 39) style = { ...style, colour: null };
    else if (code === 38 || code === 48) index += codes[index + 1] === 2 ? 4 : 2;
  }
  return style;
}
