import { expect, it } from 'vitest';
import { contentIntervalProblems, isContentDue } from '../../../src/domain/backups/backup-source.ts';

it.each([
  [0, null, false],
  [0, 99, false],
  [1, 0, true],
  [3, null, true],
  [3, 0, false],
  [3, 1, false],
  [3, 2, true],
  [3, 50, true],
] as const)('every %d, %j since: %j', (every, since, isDue) => {
  expect(isContentDue(every, since)).toBe(isDue);
});

it.each([
  [0, false, 0],
  [1_000, false, 0],
  [0, true, 0],
  [1, true, 1],
  [-1, false, 1],
  [1_001, false, 1],
  [1.5, false, 1],
  [Number.NaN, false, 1],
] as const)('%d, in a repository: %j: %d problems', (every, isInRepository, count) => {
  const problems = contentIntervalProblems(every, isInRepository);
  expect(problems.map(({ path }) => path)).toEqual(Array(count).fill('/compare_content_every'));
});
