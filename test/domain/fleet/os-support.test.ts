import { describe, expect, it, test } from 'vitest';
import { isDomainError } from '../../../src/domain/base/errors.ts';
import { OS_RELEASES } from '../../../src/domain/fleet/os-releases.ts';
import {
  mergedEnds,
  readSupportEnds,
  supportEnd,
  supportState,
} from '../../../src/domain/fleet/os-support.ts';

const SHIPPED = mergedEnds({});
const endOf = (osId: string | null, osVersion: string | null): string | null => {
  const at = supportEnd({ osId, osVersion }, SHIPPED);
  return at === null ? null : new Date(at).toISOString();
};

test.each([
  ['debian', '12', '2028-06-30T23:59:59.999Z'],
  ['raspbian', '12', '2028-06-30T23:59:59.999Z'],
  ['ubuntu', '22.04', '2027-04-01T23:59:59.999Z'],
  ['almalinux', '9.4', '2032-05-31T23:59:59.999Z'],
  ['rhel', '8.10', '2029-05-31T23:59:59.999Z'],
  ['alpine', '3.20.3', '2026-04-01T23:59:59.999Z'],
  ['alpine', '3.2', null],
  ['opensuse-leap', '15.6', '2026-04-30T23:59:59.999Z'],
  ['sles', '15.8', null],
  ['fedora', '43', '2026-12-09T23:59:59.999Z'],
  ['debian', '1', null],
  ['debian', null, null],
  ['arch', null, null],
  ['opensuse-tumbleweed', '20261101', null],
  ['__proto__', 'constructor', null],
  ['debian', '__proto__', null],
  [null, '12', null],
])('%s %s gets security updates until %s', (id, version, end) => {
  expect(endOf(id, version)).toBe(end);
});

test('every shipped release has a date, and every distribution a source', () => {
  for (const { sources, ends, parts } of Object.values(OS_RELEASES)) {
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(source).toMatch(/^https:\/\//);
    for (const [version, day] of Object.entries(ends)) {
      expect(new Date(day).toISOString().slice(0, 10)).toBe(day);
      expect(version.split('.').length).toBeLessThanOrEqual(parts);
    }
  }
});

test('support ends soon 90 days before it ends', () => {
  const end = Date.parse('2026-12-31');
  const day = 86_400_000;
  expect(supportState(end, end - 90 * day)).toBeNull();
  expect(supportState(end, end - 90 * day + 1)).toBe('ending');
  expect(supportState(end, end)).toBe('ending');
  expect(supportState(end, end + 1)).toBe('ended');
  expect(supportState(null, end)).toBeNull();
});

describe('files of endoflife.date', () => {
  const read = (json: unknown, product?: string) => readSupportEnds(JSON.stringify(json), product);
  const faultOf = (text: string, product?: string): string | undefined => {
    try {
      readSupportEnds(text, product);
      return undefined;
    } catch (error) {
      if (!isDomainError(error, 'invalid_input')) throw error;
      return error.problems[0]?.path;
    }
  };
  const release = (name: unknown, eolFrom: unknown, eoesFrom: unknown = null) => ({
    name,
    eolFrom,
    eoesFrom,
  });

  it('has one product, or all of them', () => {
    const alpine = { name: 'alpine-linux', releases: [release('3.24', '2028-05-01')] };
    const debian = { name: 'debian', releases: [release('14', '2030-08-01', '2032-06-30')] };
    const php = { name: 'php', releases: [release('8.4', '2028-12-31')] };
    expect(read({ schema_version: '1.2.0', result: alpine })).toEqual({ alpine: { '3.24': '2028-05-01' } });
    expect(read({ result: [alpine, php, debian] })).toEqual({
      alpine: { '3.24': '2028-05-01' },
      debian: { '14': '2032-06-30' },
    });
  });

  it('may be one of the previous API, whose product has to be named', () => {
    const cycles = [
      { cycle: '26.10', eol: '2027-07-08', extendedSupport: false },
      { cycle: '27.04', eol: false },
    ];
    expect(read(cycles, 'ubuntu')).toEqual({ ubuntu: { '26.10': '2027-07-08' } });
    expect(faultOf(JSON.stringify(cycles))).toBe('/product');
  });

  it.each([
    ['no JSON', '{'],
    ['nothing known', '{"result":{"name":"php","releases":[]}}'],
    ['another shape', '"text"'],
    ['a date that is none', '{"result":{"name":"debian","releases":[{"name":"14","eolFrom":"2030-02-31"}]}}'],
    [
      'a version that is none',
      '{"result":{"name":"debian","releases":[{"name":"__proto__","eolFrom":"2030-02-01"}]}}',
    ],
    ['no list of releases', '{"result":{"name":"debian","releases":{}}}'],
    [
      'too many releases',
      JSON.stringify({ result: { name: 'debian', releases: Array(201).fill(release('14', '2030-01-01')) } }),
    ],
  ])('are refused: %s', (_name, text) => {
    expect(faultOf(text)).toBe('/file');
  });

  it('replace the dates of the same release, and keep the others', () => {
    const ends = mergedEnds({ debian: { '13': '2031-01-31' } });
    expect(ends['debian']?.['13']).toBe('2031-01-31');
    expect(ends['debian']?.['12']).toBe('2028-06-30');
  });
});
