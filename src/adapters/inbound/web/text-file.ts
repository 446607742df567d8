import { isUtf8 } from 'node:buffer';

/** A file's content as a person edits it, and what has to be kept of its form. */
export interface EditableText {
  /** With line ends as forms have them inside: `\n`. */
  readonly text: string;
  /** Whether the file's lines end in `\r\n`. */
  readonly crlf: boolean;
}

/** `null` for what is no text: not UTF-8, or with characters that no form gives back as they were. */
export function editableText(bytes: Uint8Array): EditableText | null {
  if (!isUtf8(bytes)) return null;
  const raw = Buffer.from(bytes).toString('utf8');
  const crlf = raw.includes('\r\n');
  const text = crlf ? raw.replaceAll('\r\n', '\n') : raw;
  // a NUL is no text, a lone CR comes back as another line end, and mixed ends could not be told apart any more
  const isMixed = crlf && /(^|[^\r])\n/.test(raw);
  return isMixed || /[\0\r\ufeff]/.test(text) ? null : { text, crlf };
}

/** What a form sent, as the file has it: browsers end every line by `\r\n`. */
export function typedText(typed: string, crlf: boolean): string {
  const text = typed.replaceAll('\r\n', '\n');
  return crlf ? text.replaceAll('\n', '\r\n') : text;
}
