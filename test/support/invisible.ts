const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));

/** Every kind of character that hides text from people and not from agents. */
export const INVISIBLE_CHARACTERS: readonly string[] = [
  '\u00ad',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u1160',
  '\u180e',
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x2064),
  ...range(0x2066, 0x2069),
  '\u3164',
  '\ufe00',
  '\ufe0f',
  '\ufeff',
  '\uffa0',
  '\ufff9',
  '\u{e0001}',
  '\u{e0041}',
  '\u{e007f}',
  '\u{e0100}',
];

/** An instruction that is invisible to people, written in tag characters and between zero-width ones. */
export const hiddenOrder = (words: string): string =>
  `\u200b\u2060${Array.from(words, (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')}\u200d\ufeff\u202e`;

/** Fails nothing itself: the hidden characters in a text, as code points. */
export const hiddenIn = (text: string): readonly string[] =>
  INVISIBLE_CHARACTERS.filter((each) => each !== '\u007f' && each !== '\ufe0f' && text.includes(each)).map(
    (each) => `U+${each.codePointAt(0)?.toString(16)}`,
  );
