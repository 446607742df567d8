import { describe, expect, test } from 'vitest';
import { describeRepository, type RepositorySecrets } from '../../../src/domain/backups/backup-repository.ts';
import { InvalidInput } from '../../../src/domain/base/errors.ts';

const LOGIN = { name: 'web', secret: 'secret' };
const described = (url: string, secrets: Partial<RepositorySecrets> = {}, name = 'offsite') =>
  describeRepository({ name, url, secrets: { password: 'p', login: null, ...secrets }, at: 5 });

function faultsOf(...args: Parameters<typeof described>): readonly string[] {
  try {
    described(...args);
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}

describe('a backup repository', () => {
  test.each([
    ['/mnt/backup', 'local', null],
    ['sftp:backup@nas.example.org:/srv/restic', 'sftp', null],
    ['sftp://backup@nas.example.org:2222//srv/restic', 'sftp', null],
    ['rest:https://backup.example.org:8000/web', 'rest', LOGIN],
    ['rest:http://127.0.0.1:8000/', 'rest', null],
    ['s3:https://s3.example.org/bucket/web', 's3', LOGIN],
    ['s3:s3.amazonaws.com/bucket', 's3', LOGIN],
  ])('at %s is %s', (url, kind, login) => {
    expect(described(url, { login })).toEqual({ name: 'offsite', kind, url, createdAt: 5 });
  });

  test.each([
    '',
    'mnt/backup',
    '/',
    '/mnt/../etc',
    'ftp://host/x',
    'sftp:',
    'rest:host',
    's3:',
    'b2:bucket:x',
  ])('is refused at %j', (url) => expect(faultsOf(url)).toContain('/url'));

  test('has no secret in its address', () => {
    expect(faultsOf('rest:https://web:secret@host/')).toContain('/url');
    expect(faultsOf('rest:https://web@host/')).toContain('/url');
  });

  test('has a password of one line, and a login where its kind takes one', () => {
    expect(faultsOf('/mnt/a', { password: '' })).toEqual(['/password']);
    expect(faultsOf('/mnt/a', { password: 'a\nb' })).toEqual(['/password']);
    expect(faultsOf('/mnt/a', { login: LOGIN })).toEqual(['/login']);
    expect(faultsOf('s3:host/bucket')).toEqual(['/login']);
    expect(faultsOf('rest:https://host/', { login: { name: 'a\n', secret: '' } })).toEqual([
      '/login/name',
      '/login/secret',
    ]);
  });

  test('has a plain name', () => expect(faultsOf('/mnt/a', {}, 'Off site')).toEqual(['/name']));
});
