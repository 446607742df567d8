import { describe, expect, it } from 'vitest';
import {
  changeDump,
  DUMP_KINDS,
  DUMP_RULES,
  type DumpInput,
  describeDump,
  dumpOfFile,
  dumpPath,
  restoreByHand,
  restoreDatabase,
} from '../../../src/domain/backups/dump.ts';
import { InvalidInput } from '../../../src/domain/base/errors.ts';

const AT = Date.UTC(2026, 10, 22);
const describeIt = (input: Partial<DumpInput>) =>
  describeDump({ name: 'shop', kind: 'postgres', ...input, sourceId: 7, at: AT });

function faults(input: Partial<DumpInput>): string[] {
  try {
    describeIt(input);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.problems.map(({ path }) => path);
  }
}

describe('a dump', () => {
  it('keeps what was said, and of the password only that there is one', () => {
    const dump = describeIt({
      database: 'shop',
      user: 'backup',
      host: '::1',
      port: 5432,
      password: 'hunter2',
    });
    expect(dump).toMatchObject({
      database: 'shop',
      user: 'backup',
      host: '::1',
      port: 5432,
      hasPassword: true,
    });
    expect(JSON.stringify(dump)).not.toContain('hunter2');
    expect(describeIt({})).toMatchObject({
      client: 'host',
      container: null,
      database: null,
      hasPassword: false,
    });
    expect(describeIt({ client: 'podman', container: 'db_1' })).toMatchObject({ container: 'db_1' });
  });

  it('changes what is given, and keeps its password only for the place that it was given for', () => {
    const dump = { ...describeIt({ database: 'shop', host: 'db', password: 'hunter2' }), id: 3 };
    expect(changeDump(dump, { database: null, user: 'backup' })).toEqual({
      ...dump,
      database: null,
      user: 'backup',
    });
    const inside = { client: 'docker', container: 'db_1' } as const;
    for (const change of [{ host: 'thief' }, { host: null }, { port: 1 }, inside]) {
      expect(() => changeDump(dump, change)).toThrow(InvalidInput);
      expect(changeDump(dump, { ...change, password: 'hunter3' })).toMatchObject({ hasPassword: true });
      expect(changeDump(dump, { ...change, password: null })).toMatchObject({ hasPassword: false });
    }
    const out = changeDump({ ...dump, ...inside, hasPassword: false }, { client: 'host' });
    expect(out).toMatchObject({ client: 'host', container: null, hasPassword: false });
    expect(() => changeDump(dump, {})).toThrow('Nothing to change');
    expect(() => changeDump(dump, { port: 0 })).toThrow(InvalidInput);
    expect(() => changeDump({ ...dump, kind: 'sqlite', host: null }, { user: 'x' })).toThrow(InvalidInput);
  });

  it('is known by the name of its file', () => {
    for (const kind of DUMP_KINDS) {
      const file = dumpPath({ name: 'shop-1', kind }).split('/')[1] ?? '';
      expect(dumpOfFile(file)).toEqual({ name: 'shop-1', kind });
    }
    for (const other of ['notes.txt', '.postgres.sql', 'A.rdb', '../x.rdb'])
      expect(dumpOfFile(other)).toBeNull();
  });

  it('has a separate file for each kind', () => {
    expect(new Set(DUMP_KINDS.map((kind) => dumpPath({ name: 'shop', kind }))).size).toBe(DUMP_KINDS.length);
    expect(dumpPath({ name: 'shop', kind: 'mysql' })).toBe('drover-dumps/shop.mysql.sql');
  });

  it.each([
    [{ name: '../x' }, '/name'],
    [{ name: 'a.b' }, '/name'],
    [{ database: '-v' }, '/database'],
    [{ database: 'host=evil' }, '/database'],
    [{ database: 'postgres://evil' }, '/database'],
    [{ database: 'a\nb' }, '/database'],
    [{ database: '' }, '/database'],
    [{ user: '-U' }, '/user'],
    [{ host: '-h' }, '/host'],
    [{ host: 'a b' }, '/host'],
    [{ port: 0 }, '/port'],
    [{ port: 1.5 }, '/port'],
    [{ port: 65_536 }, '/port'],
    [{ password: '' }, '/password'],
    [{ password: 'a\nb' }, '/password'],
    [{ password: 'é'.repeat(513) }, '/password'],
    [{ container: 'db' }, '/container'],
    [{ client: 'docker' }, '/container'],
    [{ client: 'docker', container: '--privileged' }, '/container'],
    [{ kind: 'sqlite' }, '/database'],
    [{ kind: 'sqlite', database: 'app.db' }, '/database'],
    [{ kind: 'sqlite', database: '/srv/../etc/x' }, '/database'],
    [{ kind: 'sqlite', database: '/srv/app.db', password: 'x' }, '/password'],
    [{ kind: 'redis', database: '0' }, '/database'],
  ] as const)('is refused with %j', (input, path) => {
    expect(faults(input)).toContain(path);
  });

  it('goes to another database only if its kind can do that', () => {
    expect(restoreDatabase({ kind: 'postgres', database: 'shop' }, null)).toBe('shop');
    expect(restoreDatabase({ kind: 'postgres', database: 'shop' }, 'copy')).toBe('copy');
    expect(() => restoreDatabase({ kind: 'postgres', database: 'shop' }, 'host=evil')).toThrow(InvalidInput);
    expect(() => restoreDatabase({ kind: 'mysql', database: null }, 'copy')).toThrow(InvalidInput);
    expect(() => restoreDatabase({ kind: 'mongodb', database: 'shop' }, 'copy')).toThrow(InvalidInput);
    expect(() => restoreDatabase({ kind: 'sqlite', database: '/srv/app.db' }, 'copy')).toThrow(InvalidInput);
  });

  it('says how to restore by hand what Drover does not restore', () => {
    expect(restoreByHand({ kind: 'redis', database: null })).toContain('dump.rdb');
    expect(restoreByHand({ kind: 'postgres', database: null })).toContain('psql');
    expect(restoreByHand({ kind: 'postgres', database: 'shop' })).toBeNull();
    expect(DUMP_RULES.redis.takes).not.toContain('database');
  });
});
