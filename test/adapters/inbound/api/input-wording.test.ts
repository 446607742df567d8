import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { checkedInput } from '../../../../src/adapters/inbound/api/checked-input.ts';
import { inputJsonSchema } from '../../../../src/adapters/inbound/api/json-schema.ts';
import { InvalidInput } from '../../../../src/domain/base/errors.ts';
import { JOB_TYPES } from '../../../../src/domain/jobs/job-types.ts';

function refusal(schema: z.ZodObject, input: unknown): InvalidInput {
  try {
    checkedInput(schema, input);
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error('nothing is wrong with it');
}

const wording = (field: z.ZodType, value: unknown): string | undefined =>
  refusal(z.strictObject({ field }), { field: value }).problems[0]?.message;

const ten = Array.from({ length: 30 }, (_, index) => `c${index}`);

describe('problems of a value', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.int().min(1), undefined, 'Is missing; it must be a whole number.'],
    [z.int().min(1), 'one', 'Must be a whole number, not a text.'],
    [z.int().min(1), null, 'Must be a whole number, not null.'],
    [z.int().min(1), 1.5, 'Must be a whole number.'],
    [z.int().min(1), 0, 'Must be at least 1.'],
    [z.int().max(100), 101, 'Must be at most 100.'],
    [z.number().min(0), -1, 'Must be at least 0.'],
    [z.string(), 1, 'Must be a text, not a number.'],
    [z.string(), true, 'Must be a text, not true or false.'],
    [z.string().min(1), '', 'Must not be empty.'],
    [z.string().max(5), 'secret', 'Must have at most 5 characters.'],
    [z.string().max(1), 'ab', 'Must have at most 1 character.'],
    [z.array(z.int()).min(1), [], 'Must not be empty.'],
    [z.array(z.int()).min(2), [1], 'Must have at least 2 entries.'],
    [z.array(z.int()).max(1), [1, 2], 'Must have at most 1 entry.'],
    [z.array(z.int()), {}, 'Must be a list, not an object.'],
    [z.boolean(), 'yes', 'Must be true or false, not a text.'],
    [z.enum(['a', 'b']), 'c', 'Must be one of a, b.'],
    [z.enum(['a', 'b']), 7, 'Must be one of a, b, not a number.'],
    [z.enum(['a', 'b']), undefined, 'Is missing; it must be one of a, b.'],
    [z.enum(ten), 'x', `Must be one of ${ten.slice(0, 20).join(', ')}, ….`],
    [z.literal(true), false, 'Must be true.'],
    [z.union([z.int(), z.boolean()]), 'x', 'Must have a different format.'],
    [z.strictObject({}), [], 'Must be an object, not a list.'],
    [z.string().refine(() => false, 'Must be a good one.'), 'x', 'Must be a good one.'],
    [z.string().refine(() => false, 'Must be a good one'), 'x', 'Must be a good one.'],
    [z.string().regex(/^a$/), 'b', 'Must match /^a$/.'],
  ])('is said in a sentence (%#)', (field, value, message) => {
    expect(wording(field, value)).toBe(message);
  });

  it('is said of the whole input, too', () => {
    expect(refusal(z.strictObject({}), 7).message).toBe('/: Must be an object, not a number.');
    expect(refusal(z.strictObject({}), { a: 1, b: 2 }).message).toBe(
      '/a: Unknown field; there are no fields here (and 1 more).',
    );
  });

  it.each(CATALOGUE.map(({ name, input, tool }) => [name, tool?.input ?? input] as const))(
    'of %s says what is accepted, in our words',
    (_name, schema) => {
      for (const value of [undefined, null, -1, 1.5, 1e9, 'x', '', 'x'.repeat(10_000), true, [], ['x'], {}]) {
        const input = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, value]));
        const parsed = schema.safeParse(input);
        if (parsed.success) continue;
        for (const { message } of refusal(schema, input).problems) {
          expect(message).toMatch(/^(Must|Is missing; it must) .*\.$/);
          expect(message).not.toMatch(/expected|received|Invalid|undefined/i);
        }
      }
    },
  );

  it('is true: no operation takes a number that is not whole', () => {
    const schemas = CATALOGUE.map(({ input, tool }) =>
      JSON.stringify([input, tool?.input ?? input].map(inputJsonSchema)),
    );
    expect(schemas.filter((schema) => schema.includes('"type":"number"'))).toEqual([]);
  });

  it('names all types of jobs', () => {
    expect(wording(z.enum(JOB_TYPES), 'x')).toContain(JOB_TYPES.join(', '));
  });
});
