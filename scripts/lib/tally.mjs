/**
 * @typedef {{ passed: number, failures: string[], notRun: Array<{ name: string, reason: string }> }} Tally
 * @typedef {{ title: string, fullName: string, status: string }} Assertion
 * @typedef {{ name: string, status: string, message?: string, assertionResults: Assertion[] }} TestFile
 */

const PLACEHOLDER = 'NOT RUN: ';

/**
 * Counts a report of vitest's json reporter. A file that could not be loaded or set up counts as a failure; so does a
 * run that failed for a reason that no test shows, one without a report, and one without a test. A disabled test
 * counts as not run.
 *
 * @param {{ testResults: TestFile[] } | undefined} report
 * @param {number} exitCode vitest's
 * @returns {Tally}
 */
export function tally(report, exitCode) {
  if (!report)
    return { passed: 0, failures: [`vitest ended with code ${exitCode} and no report`], notRun: [] };
  /** @type {Tally} */
  const result = { passed: 0, failures: [], notRun: [] };
  for (const file of report.testResults) {
    for (const test of file.assertionResults) count(result, file.name, test);
    const shown = file.assertionResults.some((test) => test.status === 'failed');
    if (file.status === 'failed' && !shown) result.failures.push(`${file.name}: failed outside of its tests`);
  }
  const { passed, failures, notRun } = result;
  const shown = report.testResults.some((file) => file.status === 'failed');
  if (exitCode !== 0 && !shown) failures.push(`vitest ended with code ${exitCode}: see its errors above`);
  else if (passed + failures.length + notRun.length === 0) failures.push('no test was found');
  return result;
}

/**
 * @param {Tally} result
 * @param {string} file
 * @param {Assertion} test
 */
function count(result, file, test) {
  const name = `${file} > ${test.fullName}`;
  if (test.title.startsWith(PLACEHOLDER)) {
    const of = test.fullName.slice(0, -test.title.length).trim();
    result.notRun.push({ name: `${file} > ${of}`, reason: test.title.slice(PLACEHOLDER.length) });
  } else if (test.status === 'passed') result.passed += 1;
  else if (test.status === 'failed') result.failures.push(name);
  else result.notRun.push({ name, reason: 'it was skipped, by its code or because its set-up failed' });
}

/**
 * The end of a run, with the count in its last line. What was not run has failed if everything must run.
 *
 * @param {Tally} result
 * @param {boolean} requireAll
 * @returns {{ lines: string[], code: number }}
 */
export function summary({ passed, failures, notRun }, requireAll) {
  const failed = failures.length + (requireAll ? notRun.length : 0);
  const lines = [
    ...failures.map((name) => `FAILED: ${name}`),
    ...notRun.map(({ name, reason }) => `NOT RUN: ${name}: ${reason}`),
    `${passed} passed, ${failed} failed`,
  ];
  return { lines, code: failed === 0 ? 0 : 1 };
}
