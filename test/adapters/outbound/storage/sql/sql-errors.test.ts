import { describe, expect, it } from 'vitest';
import {
  isRetriable,
  translateFailure,
} from '../../../../../src/adapters/outbound/storage/sql/sql-errors.ts';
import { isDomainError } from '../../../../../src/domain/base/errors.ts';

const failure = (message: string, fields: object): Error => Object.assign(new Error(message), fields);

describe('what a driver says', () => {
  it.each([
    ['a refused connection', failure('connect ECONNREFUSED 127.0.0.1:3306', { code: 'ECONNREFUSED' })],
    ['a lost connection', failure('Connection lost', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true })],
    ['a node of a cluster that is not ready', failure('WSREP has not yet prepared node', { errno: 1047 })],
    ['a commit that failed', failure('COMMIT; - Error while appending', { errno: 1180 })],
    [
      'a statement that took too long',
      failure('select 1 - Query execution was interrupted', { errno: 1969 }),
    ],
    ['a certificate that is not trusted', failure('self-signed certificate', { code: 'SELF_SIGNED_CERT' })],
    ['a full disk', failure('insert into `x` - database or disk is full', { errcode: 13 })],
    ['a disk that fails', failure('disk I/O error', { errcode: 10 | (3 << 8) })],
    [
      'a disk that fails, without its code',
      failure('select `x` - disk I/O error', { code: 'ERR_SQLITE_ERROR' }),
    ],
    ['a pool without a free connection', failure('Knex: Timeout acquiring', { name: 'KnexTimeoutError' })],
  ])('is an unavailable database: %s', (_, error) => {
    const translated = translateFailure(error);
    if (!isDomainError(translated, 'database_unavailable')) throw translated;
    expect(translated.cause).toBe(error);
    expect(translated.message).toMatch(/^The database does not answer as it should: .+\.$/);
    expect(translated.message).not.toMatch(/select|insert/);
  });

  it.each([
    failure('no such table: x', { code: 'ERR_SQLITE_ERROR', errcode: 1 }),
    failure('UNIQUE constraint failed: x.y', { code: 'ERR_SQLITE_ERROR', errcode: 2067 }),
    failure('Duplicate entry', { code: 'ER_DUP_ENTRY', errno: 1062 }),
    failure('Deadlock found', { code: 'ER_LOCK_DEADLOCK', errno: 1213 }),
    failure('a fault of ours', {}),
  ])('stays as it is otherwise: %s', (error) => {
    expect(translateFailure(error)).toBe(error);
  });

  it('may be tried again only where the database took the transaction back', () => {
    expect(isRetriable(failure('Deadlock found', { errno: 1213 }))).toBe(true);
    expect(isRetriable(failure('Lock wait timeout exceeded', { errno: 1205 }))).toBe(true);
    expect(isRetriable(failure('BEGIN - database is locked', { code: 'ERR_SQLITE_ERROR' }))).toBe(true);
    expect(isRetriable(failure('Connection lost', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }))).toBe(
      false,
    );
    expect(isRetriable(failure('Duplicate entry', { errno: 1062 }))).toBe(false);
  });
});
