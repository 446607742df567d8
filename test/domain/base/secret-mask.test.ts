import { expect, test } from 'vitest';
import { MASK, SecretMask } from '../../../src/domain/base/secret-mask.ts';

test.each([
  ['plain', 'the word is sesame-open!', `the word is ${MASK}`, 'sesame-open!'],
  ['as YAML and JSON write it', 'x: "a\\"b\\\\c-long"', `x: "${MASK}"`, 'a"b\\c-long'],
  ['as compose writes it', 'x: "pa$$word-1"', `x: "${MASK}"`, 'pa$word-1'],
  ['in single quotes', "x: 'it''s-a-secret'", `x: '${MASK}'`, "it's-a-secret"],
  ['in an address', 'postgres://me:p%40ss%2Fword@db', `postgres://me:${MASK}@db`, 'p@ss/word'],
  ['over several lines', 'line one long\nline two long\n', `${MASK}\n`, 'line one long\nline two long'],
  ['one of its lines', '> line two long <', `> ${MASK} <`, 'line one long\nline two long\nx'],
])('a secret is masked %s', (_, text, masked, secret) =>
  expect(new SecretMask([secret]).mask(text)).toBe(masked),
);

test('the longer of two goes first, and the empty one is none', () =>
  expect(new SecretMask(['password', '', 'password-and-more']).mask('password-and-more, password')).toBe(
    `${MASK}, ${MASK}`,
  ));
