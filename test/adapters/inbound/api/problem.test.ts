import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../../src/adapters/inbound/api/error-table.ts';
import { problemOf } from '../../../../src/adapters/inbound/api/problem.ts';
import { DomainError, ERROR_CODES, InvalidInput } from '../../../../src/domain/base/errors.ts';

describe('problems', () => {
  it('have a status for every code', async () => {
    const table = ERROR_CODES.map((code) => {
      const { status, title } = problemOf(new DomainError(code, 'Why.'));
      return `${code} ${status} ${title}`;
    });
    await expect(`${table.join('\n')}\n`).toMatchFileSnapshot('../../../golden/http/problems.txt');
  });

  it('are errors, and what is not there is 404', () => {
    for (const code of ERROR_CODES) {
      expect(statusOf(code), code).toBeGreaterThanOrEqual(400);
      expect(statusOf(code) === 404, code).toBe(code.endsWith('not_found'));
    }
  });

  it('carry the problems of the input, and nothing of the cause', () => {
    const problem = problemOf(new InvalidInput([{ path: '/name', message: 'Too long.' }]));
    expect(problem).toEqual({
      type: '/docs/errors#invalid_input',
      title: 'Unprocessable Content',
      status: 422,
      detail: '/name: Too long.',
      code: 'invalid_input',
      errors: [{ path: '/name', message: 'Too long.' }],
    });
    const caused = problemOf(
      new DomainError('database_unavailable', 'No.', { cause: new Error('password=x') }),
    );
    expect(JSON.stringify(caused)).not.toContain('password');
  });
});
