import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceDataOf } from '../../../../../src/adapters/outbound/storage/sql/service-data.ts';
import { openSqlite } from '../../../../../src/adapters/outbound/storage/sql/sqlite/driver.ts';
import { SqlSettingStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-setting-store.ts';
import { type ServiceDataSubject, serviceDataContract } from '../../../../contracts/service-data.contract.ts';
import { FakeServiceData } from '../../../../fakes/fake-service-data.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';

serviceDataContract('a fake', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'drover-service-data-'));
  const put = new Map<string, string>();
  return {
    data: new FakeServiceData(directory, async () => JSON.stringify([...put])),
    put: async (name, value) => void put.set(name, value),
    readCopy: async (path, name) => {
      return new Map<string, string>(JSON.parse(await readFile(path, 'utf8'))).get(name) ?? null;
    },
    close: () => rm(directory, { recursive: true }),
  };
});

const sqliteSubject = async (): Promise<ServiceDataSubject> => {
  const { database, dataDir, drop } = await sqliteDatabase();
  const settings = new SqlSettingStore(database);
  return {
    data: serviceDataOf(database, dataDir),
    put: (name, value) => settings.set(name, value),
    readCopy: async (path, name) => {
      const copy = openSqlite(path, { readOnly: true });
      const [row] = copy.prepare('SELECT value FROM settings WHERE name = ?').all(name);
      copy.close();
      return (row as { value: string } | undefined)?.value ?? null;
    },
    close: drop,
  };
};

serviceDataContract('SQLite', sqliteSubject);

describe('the copy of the SQLite database', () => {
  async function subject(): Promise<ServiceDataSubject> {
    const made = await sqliteSubject();
    onTestFinished(made.close);
    return made;
  }

  it('is readable by its owner alone and is sound', async () => {
    const { data } = await subject();
    const path = await data.writeDatabaseCopy();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const copy = openSqlite(path, { readOnly: true });
    expect(copy.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    copy.close();
  });

  it('lets the service go on while it is written', async () => {
    const { data, put } = await subject();
    for (let index = 0; index < 40; index += 1) await put(`row-${index}`, 'x'.repeat(500_000));
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 1);
    await data.writeDatabaseCopy();
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(1);
  });

  it('leaves out of a backup the live files, the snapshots and what is unfinished, whatever the path', async () => {
    const { data } = await subject();
    expect(data.excludes).toEqual([
      `${data.directory}/backups/`,
      `${data.directory}/drover.sqlite`,
      `${data.directory}/drover.sqlite-wal`,
      `${data.directory}/drover.sqlite-shm`,
      `${data.directory}/export/.unfinished-*`,
      `${data.directory}/master.key*`,
      `${data.directory}/master-key*`,
    ]);
    const { database, drop } = await sqliteDatabase();
    onTestFinished(drop);
    expect(serviceDataOf(database, '/srv/a*b[c]\\d').excludes[1]).toBe(
      '/srv/a\\*b\\[c\\]\\\\d/drover.sqlite',
    );
    expect(serviceDataOf(database, '/srv/a b\\d').excludes[1]).toBe('/srv/a b\\d/drover.sqlite');
  });

  it('keeps the previous one if it cannot be written, and says why', async () => {
    const { data, put, readCopy } = await subject();
    await put('first', '1');
    const path = await data.writeDatabaseCopy();
    await rm(join(data.directory, 'drover.sqlite'));
    await expectRefusal(data.writeDatabaseCopy(), 'database_unavailable');
    expect(await readCopy(path, 'first')).toBe('1');
    expect(await readdir(join(path, '..'))).toHaveLength(1);
  });

  it('sweeps leftovers of dead processes, and not what another is writing', async () => {
    const { data } = await subject();
    const exports = join(data.directory, 'export');
    await mkdir(exports);
    for (const name of ['.unfinished-old', '.unfinished-new']) await writeFile(join(exports, name), '');
    await utimes(join(exports, '.unfinished-old'), 1, 1);
    await data.writeDatabaseCopy();
    expect((await readdir(exports)).toSorted()).toEqual(['.unfinished-new', 'drover.sqlite']);
  });
});
