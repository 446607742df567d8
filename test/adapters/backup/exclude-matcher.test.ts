import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOfText } from '../../../src/adapters/backup/byte-string.ts';
import { excludeMatcher } from '../../../src/adapters/backup/exclude-matcher.ts';

const piece = fc.constantFrom('a', 'b', '/', '*', '**', '?', '[ab]', '[!b]', '.', '\\*', 'é');
const patterns = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
const paths = fc.array(fc.constantFrom('a', 'b', '/', '.', '*', 'é', '\n'), { minLength: 1, maxLength: 8 });

it('says of several wildcards what their regular expression says', () => {
  fc.assert(
    fc.property(patterns, paths, (pattern, characters) => {
      const { rules, excludes } = excludeMatcher([pattern]);
      const path = bytesOfText(characters.join(''));
      const expected = rules.some(
        ({ regex, directoriesOnly }) =>
          !directoriesOnly && new RegExp(`^(?:${bytesOfText(regex)})$`, 's').test(`/${path}`),
      );
      expect(excludes(path, false)).toBe(expected);
    }),
    { numRuns: 3_000 },
  );
});
