import * as fc from 'fast-check';

const PIECES = [
  '\n',
  '\r\n',
  '\0',
  '\u001b[31m',
  '\u202e',
  '  ',
  ' ',
  '[',
  ']',
  '(',
  ')',
  ':',
  '"',
  '{',
  '}',
  ',',
  '=',
  '|',
];
const WORDS = [
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '9'.repeat(30),
  '1e999',
  'NaN',
  'ü',
  '𝒳',
  '\ud800',
];

/**
 * Possible output of a malicious or broken host: noise made of the words of the real output, or the real output with
 * pieces cut out, doubled, swapped and enlarged.
 */
export function hostileText(real: string): fc.Arbitrary<string> {
  const words = [...new Set(real.split(/(\s+)/))].slice(0, 300);
  const piece = fc.oneof(
    fc.constantFrom(...PIECES, ...WORDS),
    fc.constantFrom(...words),
    fc.string({ maxLength: 20, unit: 'binary' }),
    fc.integer({ min: 1, max: 20_000 }).map((times) => 'A'.repeat(times)),
  );
  const noise = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  const spoiled = fc
    .array(fc.tuple(fc.nat(real.length), fc.nat(200), piece), { minLength: 1, maxLength: 10 })
    .map((cuts) =>
      cuts.reduce((text, [at, gone, put]) => text.slice(0, at) + put + text.slice(at + gone), real),
    );
  return fc.oneof(noise, spoiled);
}
