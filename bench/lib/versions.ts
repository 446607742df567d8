import { spawnSync } from 'node:child_process';
import { openSqlite } from '../../src/adapters/outbound/storage/sql/sqlite/driver.ts';

/** Programs that benches use, and how each says its version. */
const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  MariaDB: ['mariadbd', '--no-defaults', '--version'],
  Ansible: ['ansible', '--version'],
  OpenSSH: ['ssh', '-V'],
  rsync: ['rsync', '--version'],
  wrk: ['wrk', '-v'],
};

/** Of what is there. */
export function versions(): Readonly<Record<string, string>> {
  const found: Record<string, string> = { SQLite: sqliteVersion() };
  for (const [name, [program, ...args]] of Object.entries(PROGRAMS)) {
    const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 20_000 });
    const version = error ? undefined : /\d+\.\d+[\w.]*/.exec(`${stdout}${stderr}`)?.[0];
    if (version !== undefined) found[name] = version;
  }
  return found;
}

function sqliteVersion(): string {
  const sqlite = openSqlite(':memory:');
  const [row] = sqlite.prepare('SELECT sqlite_version() AS version').all() as { version: string }[];
  sqlite.close();
  return row?.version ?? 'unknown';
}
