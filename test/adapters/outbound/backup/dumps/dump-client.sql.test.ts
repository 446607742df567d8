import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM_PATH } from '../../../../../scripts/lib/programs.mjs';
import { HostDumpClient } from '../../../../../src/adapters/outbound/backup/dumps/host-dump-client.ts';
import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { DumpConnection } from '../../../../../src/domain/backups/dump.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { freshMariaDb } from '../../../../support/mariadb.ts';
import { mongoArchive } from '../../../../support/mongo-archive.ts';
import { type DatabaseServer, startPostgres } from '../../../../support/postgres-server.ts';
import { startRedis } from '../../../../support/redis-server.ts';

const run = promisify(execFile);
const client = new HostDumpClient();
const { signal } = new AbortController();
const HERE = { kind: 'local', serverId: 1, serverName: 'here', become: 'none' } as const;
/** As from outside: quotes of every kind, and shell expansions. */
const ODD = `o'd"d $(id) \`x\` é`;
const ARCHIVE = mongoArchive().toString('hex');

let host: RemoteHost;
let scratch: string;
beforeAll(async () => {
  host = await new LocalRemoteHosts().connect(HERE);
  scratch = await mkdtemp(join(tmpdir(), 'drover-dumps-'));
});
afterAll(async () => {
  host?.release();
  await rm(scratch, { recursive: true, force: true });
});

const connection = (over: Partial<DumpConnection> & Pick<DumpConnection, 'kind'>): DumpConnection => ({
  name: 'shop',
  client: 'host',
  container: null,
  database: null,
  user: null,
  host: null,
  port: null,
  password: null,
  ...over,
});

async function dumped(from: DumpConnection, on = host): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of client.read(on, from, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* piecesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 10_000) yield content.subarray(at, at + 10_000);
}

describeWith('databases', 'dumps of PostgreSQL', () => {
  let server: DatabaseServer;
  const at = (database: string | null, password = server.password): DumpConnection =>
    connection({
      kind: 'postgres',
      host: '127.0.0.1',
      port: server.port,
      user: 'postgres',
      password,
      database,
    });
  beforeAll(async () => {
    server = await startPostgres();
    await server.run(`CREATE DATABASE "${ODD.replaceAll('"', '""')}";`);
    await server.run(
      `CREATE TABLE notes AS SELECT n, repeat(md5(n::text), 20) AS text FROM generate_series(1, 5000) n;
       INSERT INTO notes VALUES (0, E'--\\n-- PostgreSQL database dump complete\\n--');`,
      ODD,
    );
  });
  afterAll(() => server?.stop());

  it('brings a database back as it was, in another and in its own', async () => {
    const sum = `SELECT md5(string_agg(n || text, ',' ORDER BY n)) FROM notes`;
    const before = await server.run(sum, ODD);
    const content = await dumped(at(ODD));
    expect(await client.look(host, at('copy'), signal)).toMatchObject({ exists: false, tables: 0 });
    await client.restore(host, at('copy'), piecesOf(content), signal);
    expect(await server.run(sum, 'copy')).toBe(before);
    await server.run('DELETE FROM notes WHERE n > 10', ODD);
    await client.restore(host, at(ODD), piecesOf(content), signal);
    expect(await server.run(sum, ODD)).toBe(before);
    const target = await client.look(host, at(ODD), signal);
    expect(target).toMatchObject({
      exists: true,
      tables: 1,
      version: expect.stringMatching(/^PostgreSQL \d/),
    });
    expect(target.bytes).toBeGreaterThan(1_000_000);
  });

  it('dumps all databases with their roles', async () => {
    const content = (await dumped(at(null))).toString();
    expect(content).toContain('CREATE ROLE');
  });

  it('changes nothing where a restore breaks off or is refused', async () => {
    await server.run('CREATE DATABASE kept');
    await server.run('CREATE TABLE notes (n int, text text); INSERT INTO notes VALUES (42)', 'kept');
    const content = await dumped(at(ODD));
    const cut = async function* (): AsyncGenerator<Buffer> {
      yield content.subarray(0, content.length / 2);
      throw new Error('the store is gone');
    };
    await expect(client.restore(host, at('kept'), cut(), signal)).rejects.toThrow('the store is gone');
    const wrong = Buffer.concat([content, Buffer.from('SELECT 1 / 0;\n')]);
    const refusal = await expectRefusal(
      client.restore(host, at('kept'), piecesOf(wrong), signal),
      'dump_restore_failed',
    );
    expect(refusal.message).toContain('division by zero');
    expect(await server.run('SELECT n FROM notes', 'kept')).toBe('42');
  });

  it('says what the client said, without the password, and does not take a killed one for an end', async () => {
    const refusal = await expectRefusal(dumped(at('nowhere')), 'dump_failed');
    expect(refusal.message).toContain('database "nowhere" does not exist');
    for (const database of [ODD, null]) await client.check(host, at(database), signal);
    const checked = await expectRefusal(client.check(host, at('nowhere'), signal), 'dump_failed');
    expect(checked.message).toContain('database "nowhere" does not exist');
    await expectRefusal(client.check(host, at(null, 'another-password'), signal), 'dump_failed');
    await expectRefusal(dumped(at(ODD, 'another-password')), 'dump_failed');
    let chunks = 0;
    const killed = async (): Promise<void> => {
      for await (const _ of client.read(host, at('copy'), signal)) {
        chunks += 1;
        if (chunks === 1)
          await server.run(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $$pg_dump$$',
          );
      }
    };
    await server.run('INSERT INTO notes SELECT n, text FROM notes, generate_series(1, 30)', 'copy');
    await expectRefusal(killed(), 'dump_failed');
  });

  it('shows no password in the process list', async () => {
    const seen = new Set<string>();
    for await (const _ of client.read(host, at(ODD), signal)) {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        if (line.includes('pg_dump')) seen.add(line);
      }
    }
    expect(seen.size).toBeGreaterThan(0);
    expect([...seen].filter((line) => line.includes(server.password))).toEqual([]);
  });
});

describeWith('databases', 'dumps of MariaDB', () => {
  let fresh: { url: string; drop: () => Promise<void> };
  let name: string;
  const at = (database: string | null): DumpConnection => {
    const { hostname, port, username, password } = new URL(fresh.url);
    return connection({
      kind: 'mysql',
      host: hostname,
      port: Number(port),
      user: username,
      password,
      database,
    });
  };
  const ask = async (statement: string): Promise<unknown> => {
    const database = await mysql.createConnection({ uri: fresh.url, multipleStatements: true });
    try {
      return (await database.query(statement))[0];
    } finally {
      await database.end();
    }
  };
  beforeAll(async () => {
    fresh = await freshMariaDb();
    name = new URL(fresh.url).pathname.slice(1);
    await ask(
      `CREATE TABLE notes (n INT PRIMARY KEY, text BLOB);
       INSERT INTO notes SELECT seq, REPEAT(UNHEX(MD5(seq)), 20) FROM seq_1_to_3000;
       CREATE PROCEDURE hello() SELECT 'hello';`,
    );
  });
  afterAll(async () => {
    await ask(`DROP DATABASE IF EXISTS \`${ODD.replaceAll('`', '``')}\``);
    await fresh.drop();
  });

  it('brings a database back as it was, in another and in its own', async () => {
    const sum = (of: string): string =>
      `SELECT COUNT(*) AS n, BIT_XOR(CRC32(CONCAT(n, text))) AS s FROM ${of}notes`;
    const before = await ask(sum(''));
    const content = await dumped(at(name));
    expect(await client.look(host, at(ODD), signal)).toMatchObject({ exists: false, tables: 0 });
    await client.restore(host, at(ODD), piecesOf(content), signal);
    expect(await ask(sum(`\`${ODD.replaceAll('`', '``')}\`.`))).toEqual(before);
    await ask('DELETE FROM notes WHERE n > 10; DROP PROCEDURE hello');
    await client.restore(host, at(name), piecesOf(content), signal);
    expect(await ask(sum(''))).toEqual(before);
    await ask('CALL hello()');
    const target = await client.look(host, at(name), signal);
    expect(target).toMatchObject({ exists: true, tables: 1, version: expect.stringContaining('MariaDB') });
  });

  it('dumps all databases', async () => {
    expect((await dumped(at(null))).toString('latin1')).toContain(
      `CREATE DATABASE /*!32312 IF NOT EXISTS*/ \`${name}\``,
    );
  });

  it('says what the client said', async () => {
    const refusal = await expectRefusal(dumped(at('nowhere')), 'dump_failed');
    expect(refusal.message).toContain("Unknown database 'nowhere'");
    for (const database of [name, null]) await client.check(host, at(database), signal);
    const checked = await expectRefusal(client.check(host, at('nowhere'), signal), 'dump_failed');
    expect(checked.message).toContain("Unknown database 'nowhere'");
    const wrong = expectRefusal(
      client.restore(host, at(name), piecesOf(Buffer.from('SELECT no_such_thing;\n')), signal),
      'dump_restore_failed',
    );
    expect((await wrong).message).toContain('no_such_thing');
  });
});

describeWith('databases', 'dumps of SQLite', () => {
  const at = (path: string): DumpConnection => connection({ kind: 'sqlite', database: path });
  const sqlite = async (path: string, ...statements: string[]): Promise<string> =>
    (await run('sqlite3', [path, ...statements])).stdout.trim();

  it('takes a consistent copy, and brings it back while the file stays the same', async () => {
    const path = join(scratch, `${ODD.replaceAll('/', '')}.db`);
    const rows = 'INSERT INTO notes SELECT value, hex(randomblob(200)) FROM generate_series(1, 5000)';
    await sqlite(path, 'PRAGMA journal_mode=WAL', 'CREATE TABLE notes (n, text)', rows);
    const sum = 'SELECT count(*), sum(length(text)), max(text) FROM notes';
    const before = await sqlite(path, sum);
    await client.check(host, at(path), signal);
    const content = await dumped(at(path));
    await sqlite(path, 'DELETE FROM notes WHERE n > 10');
    const { ino } = await stat(path);
    expect(await client.look(host, at(path), signal)).toMatchObject({ exists: true, tables: 1 });
    await client.restore(host, at(path), piecesOf(content), signal);
    expect(await sqlite(path, sum)).toBe(before);
    expect((await stat(path)).ino).toBe(ino);
    const former = (await readdir(scratch)).find((name) => name.includes('.before-restore-'));
    expect(await sqlite(join(scratch, former ?? ''), 'SELECT count(*) FROM notes')).toBe('10');
    const other = join(scratch, 'other.db');
    await client.restore(host, at(other), piecesOf(content), signal);
    expect(await sqlite(other, sum)).toBe(before);
    await expectRefusal(
      client.restore(host, at(other), piecesOf(content.subarray(0, 8_192)), signal),
      'dump_restore_failed',
    );
    expect(await sqlite(other, sum)).toBe(before);
    expect((await readdir('/var/tmp')).filter((name) => name.startsWith('drover-dump.'))).toEqual([]);
  });

  it('refuses what is no database', async () => {
    await writeFile(join(scratch, 'text'), 'x'.repeat(5_000));
    await expectRefusal(dumped(at(join(scratch, 'text'))), 'dump_failed');
    for (const name of ['text', 'nothing']) {
      await expectRefusal(client.check(host, at(join(scratch, name)), signal), 'dump_failed');
    }
    expect((await expectRefusal(dumped(at(join(scratch, 'nothing'))), 'dump_failed')).message).toContain(
      'is not a file',
    );
    expect(await readdir(scratch)).not.toContain('nothing');
  });
});

describeWith('databases', 'dumps of Redis', () => {
  it.each([true, false])('are files that Redis takes (sent from memory: %s)', async (diskless) => {
    const server = await startRedis({ diskless });
    try {
      await server.run(
        "EVAL \"for i = 1, 3000 do redis.call('SET', 'key:' .. i, string.rep('v', i)) end\" 0",
      );
      const at = connection({ kind: 'redis', port: server.port, password: server.password });
      const path = join(scratch, 'dump.rdb');
      await writeFile(path, await dumped(at));
      const { stdout } = await run('redis-check-rdb', [path]);
      expect(stdout).toContain('3000 keys read');
      expect(stdout).toContain('RDB looks OK');
      await expectRefusal(dumped({ ...at, password: 'wrong' }), 'dump_failed');
      await client.check(host, at, signal);
      const wrong = client.check(host, { ...at, password: 'wrong' }, signal);
      expect((await expectRefusal(wrong, 'dump_failed')).message).not.toContain(server.password);
      await expectRefusal(client.check(host, { ...at, port: 1 }, signal), 'dump_failed');
    } finally {
      await server.stop();
    }
  });
});

describeWith('databases', 'dumps by a client', () => {
  it('name what is missing', async () => {
    const bare = join(scratch, 'bin');
    await mkdir(bare, { recursive: true });
    await symlink('/bin/sh', join(bare, 'sh'));
    await symlink('/usr/bin/id', join(bare, 'id'));
    const poor = await new LocalRemoteHosts({ path: bare }).connect(HERE);
    for (const kind of ['postgres', 'mysql', 'redis', 'mongodb'] as const) {
      await expectRefusal(dumped(connection({ kind }), poor), 'host_tool_missing');
      await expectRefusal(client.check(poor, connection({ kind }), signal), 'host_tool_missing');
    }
    await expectRefusal(
      dumped(connection({ kind: 'mysql', client: 'podman', container: 'db' }), poor),
      'host_tool_missing',
    );
    poor.release();
  });

  it('give mongodump its password by a descriptor, and take the archive that it prints', async () => {
    const bin = join(scratch, 'mongo');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'archive'), Buffer.from(ARCHIVE, 'hex'));
    const record = `#!/bin/sh\nfor a; do printf '%s\\n' "$a"; done > "${bin}/args"\ncat /dev/fd/3 > "${bin}/config"\n`;
    await writeFile(join(bin, 'mongodump'), `${record}cat "${bin}/archive"\n`);
    await writeFile(join(bin, 'mongorestore'), `${record}cat > "${bin}/restored"\n`);
    for (const name of ['mongodump', 'mongorestore']) await chmod(join(bin, name), 0o755);
    const recorded = await new LocalRemoteHosts({ path: `${bin}:${SYSTEM_PATH}` }).connect(HERE);
    const at = connection({ kind: 'mongodb', database: 'shop', user: 'backup', password: ODD });
    await client.check(recorded, at, signal);
    const content = await dumped(at, recorded);
    expect(content.toString('hex')).toBe(ARCHIVE);
    expect(await readFile(join(bin, 'config'), 'utf8')).toBe(`password: '${ODD.replaceAll("'", "''")}'\n`);
    expect(await readFile(join(bin, 'args'), 'utf8')).not.toContain(ODD);
    await client.restore(recorded, at, piecesOf(content), signal);
    expect((await readFile(join(bin, 'restored'))).toString('hex')).toBe(ARCHIVE);
    await writeFile(join(bin, 'archive'), Buffer.from(ARCHIVE, 'hex').subarray(0, -4));
    await expectRefusal(dumped(at, recorded), 'dump_failed');
    recorded.release();
  });
});
