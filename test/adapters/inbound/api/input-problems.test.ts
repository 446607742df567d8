import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { checkedInput } from '../../../../src/adapters/inbound/api/checked-input.ts';
import { line } from '../../../../src/adapters/inbound/api/fields.ts';
import { type InputProblem, InvalidInput } from '../../../../src/domain/base/errors.ts';

const schema = z.strictObject({
  server_id: z.int().min(1),
  steps: z.array(z.enum(['a', 'b'])).optional(),
  name: line(5).optional(),
});

function problems(input: unknown): readonly InputProblem[] {
  try {
    checkedInput(schema, input);
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems;
    throw error;
  }
  return [];
}

const places = (input: unknown): string[] => problems(input).map(({ path }) => path);

describe('problems of an input', () => {
  it('is named with its place, each place once', () => {
    expect(places({ server_id: 2 ** 60 })).toEqual(['/server_id']);
    expect(places({ server_id: 1, steps: ['a', 'c', 'd'] })).toEqual(['/steps/1', '/steps/2']);
    expect(places({})).toEqual(['/server_id']);
    expect(places(null)).toEqual(['']);
    expect(places([])).toEqual(['']);
  });

  it('names unknown fields, also those of every object, and says which there are', () => {
    const [first, second] = problems(JSON.parse('{"server_id":1,"__proto__":1,"constructor":2}'));
    expect(first).toEqual({
      path: '/__proto__',
      message: 'Unknown field; the fields are server_id, steps, name.',
    });
    expect(second?.path).toBe('/constructor');
  });

  it('escapes what a pointer escapes, and shortens names', () => {
    expect(places({ server_id: 1, 'a/b~c': 1 })).toEqual(['/a~1b~0c']);
    expect(places({ server_id: 1, ['x'.repeat(500)]: 1 })).toEqual([`/${'x'.repeat(80)}`]);
  });

  it('stops at twenty', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 1]));
    expect(problems({ server_id: 1, ...many })).toHaveLength(20);
  });

  it('never repeats a value', () => {
    const secret = 'drv_do-not-show-me';
    expect(JSON.stringify(problems({ server_id: secret, steps: [secret], name: secret }))).not.toContain(
      secret,
    );
  });

  it.each(['a\nb', 'a\0b', '\u001b[1m', '\ud800', 'a\udc00'])(
    'finds text that is not one line: %j',
    (text) => {
      expect(places({ server_id: 1, name: text })).toEqual(['/name']);
    },
  );

  it('takes text of any script', () => {
    expect(places({ server_id: 1, name: 'Zürich'.slice(0, 5) })).toEqual([]);
    expect(places({ server_id: 1, name: '😀日' })).toEqual([]);
  });
});
