import { expect, it } from 'vitest';
import { oneLine } from '../../../src/domain/base/one-line.ts';

it.each([
  ['leaves a short text', 'as it is', 20, 'as it is'],
  ['joins lines', '  two\r\nlines\n', 20, 'two lines'],
  ['takes control characters out', 'nul\u0000 and \u001b[31mcolour', 40, 'nul  and colour'],
  ['leaves a text of the greatest length', 'exactly ten', 11, 'exactly ten'],
  ['shortens a longer one', 'one too many', 11, 'one too ma…'],
  ['counts characters', '🐑'.repeat(5), 5, '🐑🐑🐑🐑🐑'],
  ['splits none', '🐑'.repeat(6), 5, '🐑🐑🐑🐑…'],
  ['takes a huge text', `x${'🐑'.repeat(100_000)}`, 4, 'x🐑🐑…'],
])('%s', (_, text, most, line) => {
  expect(oneLine(text, most)).toBe(line);
});
