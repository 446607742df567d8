import { describe, expect, it } from 'vitest';
import { summary, tally } from '../../scripts/lib/tally.mjs';

const test = (title: string, status = 'passed') => ({ title, fullName: `a thing ${title}`, status });
const file = (name: string, status: string, ...assertionResults: ReturnType<typeof test>[]) => ({
  name,
  status,
  assertionResults,
});
const report = (...testResults: ReturnType<typeof file>[]) => ({ testResults });

describe('counting a run', () => {
  it('counts what passed and names what failed', () => {
    const counted = tally(report(file('a.test.ts', 'failed', test('works'), test('breaks', 'failed'))), 1);
    expect(counted).toEqual({ passed: 1, failures: ['a.test.ts > a thing breaks'], notRun: [] });
  });

  it.each([
    ['there is no report', undefined, 7, 'vitest ended with code 7 and no report'],
    [
      'a file cannot be loaded',
      report(file('a.test.ts', 'failed')),
      1,
      'a.test.ts: failed outside of its tests',
    ],
    ['there is no test', report(), 0, 'no test was found'],
    [
      'an error is outside of all tests',
      report(file('a', 'passed', test('works'))),
      1,
      'vitest ended with code 1: see its errors above',
    ],
  ])('fails when %s', (_, given, code, failure) => {
    expect(tally(given, code).failures).toEqual([failure]);
  });

  it('fails a file whose set-up failed, and lists its tests as not run', () => {
    const counted = tally(report(file('a', 'failed', test('one', 'skipped'))), 1);
    expect(counted.failures).toEqual(['a: failed outside of its tests']);
    expect(counted.notRun).toHaveLength(1);
  });

  it.each(['passed', 'failed'])('lists a placeholder that %s as not run, with its reason', (status) => {
    const given = report(file('a', status, test('NOT RUN: needs root', status), test('works')));
    expect(tally(given, status === 'failed' ? 1 : 0)).toEqual({
      passed: 1,
      failures: [],
      notRun: [{ name: 'a > a thing', reason: 'needs root' }],
    });
  });

  it('does not hide a test that was switched off', () => {
    expect(tally(report(file('a', 'passed', test('later', 'skipped'))), 0).notRun).toHaveLength(1);
  });
});

describe('the end of a run', () => {
  const counted = { passed: 3, failures: [], notRun: [{ name: 'a > b', reason: 'needs root' }] };

  it('lists what was not run before the count', () => {
    expect(summary(counted, false)).toEqual({
      lines: ['NOT RUN: a > b: needs root', '3 passed, 0 failed'],
      code: 0,
    });
  });

  it('fails what was not run where everything must run', () => {
    const { lines, code } = summary(counted, true);
    expect(lines.at(-1)).toBe('3 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('names each failure once more', () => {
    const { lines, code } = summary({ passed: 0, failures: ['types'], notRun: [] }, false);
    expect(lines).toEqual(['FAILED: types', '0 passed, 1 failed']);
    expect(code).toBe(1);
  });
});
