import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../../src/adapters/inbound/api/strict-json.ts';
import { isDomainError } from '../../../../src/domain/base/errors.ts';

function refusal(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (isDomainError(error, 'invalid_json')) return error.message;
    throw error;
  }
  return '';
}

describe('strict JSON', () => {
  it('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'large' }), fc.constantFrom(0, 1, 2), (text, indent) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(JSON.stringify(value, null, indent))).toEqual(value);
      }),
    );
  });

  it('keeps keys apart that only look alike', () => {
    const text = String.raw`{"a":{"a":1,"b":[{"a":1},{"a":2}]},"b":"a","\"a":1,"\\\"":2,"a\\":3}`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '{"a":1,"a":2}',
    String.raw`{"a":1,"\u0061":2}`,
    '{"x":{"a":1 , "b" : 2,\n"a"\t:3}}',
    '[{"a":{"a":1}},{"b":1,"b":1}]',
    String.raw`{"\\":1,"\\":2}`,
    '{"":1,"":2}',
  ])('finds a key that is there twice: %s', (text) => {
    expect(refusal(text)).toContain('twice');
  });

  it('finds any duplicate, wherever it is put', () => {
    const key = fc.string({ unit: 'binary', maxLength: 5 }).filter((name) => name !== '__proto__');
    fc.assert(
      fc.property(key, fc.array(key, { maxLength: 5 }), fc.nat(8), (twice, between, depth) => {
        const members = [...new Set(between)].filter((name) => name !== twice);
        const text = [twice, ...members, twice]
          .map((name) => `${JSON.stringify(name)}:{"x":["a"]}`)
          .join(',');
        expect(refusal(`${'['.repeat(depth)}{${text}}${']'.repeat(depth)}`)).toContain('twice');
      }),
    );
  });

  it('does not take __proto__, however it is written', () => {
    expect(refusal('{"__proto__":{"admin":true}}')).toContain('__proto__');
    expect(refusal(String.raw`[{"a":{"\u005f_proto__":1}}]`)).toContain('__proto__');
    expect(refusal('{"a":"__proto__"}')).toBe('');
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{"a":1} {}',
    'undefined',
    'NaN',
    '01',
    '"\n"',
    '\ufeff{}',
    '//x\n{}',
  ])('refuses what is not JSON: %j', (text) => {
    expect(refusal(text)).toBe('The body is not valid JSON.');
  });

  it('accepts 64 levels and not one more', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(refusal(nested(64))).toBe('');
    expect(refusal(nested(66))).toContain('deeper');
    expect(refusal('['.repeat(500_000) + ']'.repeat(500_000))).toContain('deeper');
  });
});
