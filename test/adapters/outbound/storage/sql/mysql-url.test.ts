import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mysqlOptions } from '../../../../../src/adapters/outbound/storage/sql/mysql/mysql-url.ts';
import { isDomainError } from '../../../../../src/domain/base/errors.ts';

describe('the address of a MySQL database', () => {
  it('is read in all of its parts', () => {
    expect(mysqlOptions('mysql://us%40er:p%2Fw%20d@db.example.org:3307/dro_ver')).toMatchObject({
      host: 'db.example.org',
      port: 3307,
      user: 'us@er',
      password: 'p/w d',
      database: 'dro_ver',
    });
    expect(mysqlOptions('mariadb://u@[2001:db8::1]/d')).toMatchObject({ host: '2001:db8::1', port: 3306 });
    expect(mysqlOptions('mysql://u@h/d')).not.toHaveProperty('ssl');
  });

  it('may name the nodes of a cluster, in their order', () => {
    expect(
      mysqlOptions('mysql://u:p%2C%40@a:3306, b.example.org ,[2001:db8::1]:3307/d?ssl=no-verify'),
    ).toMatchObject({
      host: 'a',
      port: 3306,
      user: 'u',
      password: 'p,@',
      database: 'd',
      hosts: [
        { host: 'a', port: 3306 },
        { host: 'b.example.org', port: 3306 },
        { host: '2001:db8::1', port: 3307 },
      ],
      ssl: { rejectUnauthorized: false },
    });
    expect(mysqlOptions('mysql://u@h/d').hosts).toEqual([{ host: 'h', port: 3306 }]);
  });

  it('asks for TLS, checked or not', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'drover-ca-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, 'ca.pem'), 'CERTIFICATE');
    const checked = { rejectUnauthorized: true, verifyIdentity: true };
    expect(mysqlOptions('mysql://u@h/d?ssl=verify').ssl).toEqual(checked);
    expect(mysqlOptions(`mysql://u@h/d?ssl-ca=${dir}/ca.pem`).ssl).toEqual({ ...checked, ca: 'CERTIFICATE' });
    expect(mysqlOptions('mysql://u@h/d?ssl=no-verify').ssl).toMatchObject({ rejectUnauthorized: false });
  });

  it.each([
    ['postgres://u:secret@h/d', 'it is not a mysql:// address'],
    ['h/d?secret', 'it is not a mysql:// address'],
    ['mysql://u:secret@h', 'name of one database'],
    ['mysql://u:secret@h/a/b', 'name of one database'],
    ['mysql:///d?secret', 'it names no host'],
    ['mysql://u:secret@a,,b/d', 'it is not a mysql:// address'],
    ['mysql://u:secret@a:99999,b/d', 'it is not a mysql:// address'],
    [`mysql://u:secret@${'a,'.repeat(16)}a/d`, 'more than 16 hosts'],
    ['mysql://u:secret@h/d?sslmode=require', 'the unknown option "sslmode"'],
    ['mysql://u:secret@h/d?ssl=maybe', 'ssl is one of verify and no-verify'],
    ['mysql://u:secret@h/d?ssl=no-verify&ssl-ca=/x', 'ssl is one of verify and no-verify'],
    ['mysql://u:secret@192.0.2.1/d?ssl=verify', 'the host has to be a name'],
    ['mysql://u:secret@[2001:db8::1]/d?ssl=verify', 'the host has to be a name'],
    ['mysql://u:secret@h/d?ssl-ca=/no/such/file', '(/no/such/file) cannot be read'],
    ['mysql://u:secret%zz@h/d', 'write "%" itself as %25'],
  ])('is refused with the fault and without itself: %s', (url, fault) => {
    const refusal = ((): unknown => {
      try {
        return mysqlOptions(url);
      } catch (error) {
        return error;
      }
    })();
    if (!isDomainError(refusal, 'invalid_input')) throw refusal;
    expect(refusal.message).toContain(fault);
    expect(refusal.message).not.toContain('secret');
  });
});
