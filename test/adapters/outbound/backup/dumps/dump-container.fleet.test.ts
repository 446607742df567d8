import { afterAll, beforeAll, expect, it } from 'vitest';
import { HostDumpClient } from '../../../../../src/adapters/outbound/backup/dumps/host-dump-client.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { DumpConnection } from '../../../../../src/domain/backups/dump.ts';
import { makeBase, makeMariaDb } from '../../../../deploy/stand-in-images.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { waitForDocker } from '../../../../fleet/docker.ts';
import { useDockerHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';

/** As shells would expand it. */
const PASSWORD = `o'd"d $(id) \`x\``;
const CONTAINER = 'shop-db-1';
const SUM = 'SELECT COUNT(*), BIT_XOR(CRC32(CONCAT(n, text))) FROM shop.notes';

describeWith('docker', 'a dump of MariaDB in a container', () => {
  const fleetHost = useDockerHost();
  const client = new HostDumpClient();
  const { signal } = new AbortController();
  let host: RemoteHost;
  beforeAll(async () => {
    await waitForDocker(fleetHost());
    await makeBase(fleetHost());
    await makeMariaDb(fleetHost());
    const environment = ['MARIADB_RANDOM_ROOT_PASSWORD=1', 'MARIADB_DATABASE=shop', 'MARIADB_USER=first'];
    await fleetHost().exec(
      'docker run -d --network none --name "$1" -e "$2" -e "$3" -e "$4" -e MARIADB_PASSWORD=first mariadb:11.4 >&2',
      [CONTAINER, ...environment],
    );
    // Over TCP, which the server that the image starts first, to set up the database, does not answer.
    await fleetHost().exec(
      'for n in $(seq 600); do docker exec "$1" mariadb -h127.0.0.1 -ufirst -pfirst shop -e "SELECT 1" >/dev/null 2>&1 && exit 0; sleep 0.2; done; docker logs "$1" >&2; exit 1',
      [CONTAINER],
    );
    await sql(
      `CREATE TABLE notes (n INT PRIMARY KEY, text BLOB);
       INSERT INTO notes SELECT seq, REPEAT(UNHEX(MD5(seq)), 20) FROM seq_1_to_3000;
       SET PASSWORD = PASSWORD('${PASSWORD.replaceAll("'", "''")}');`,
      'first',
    );
    host = await new SshRemoteHosts().connect(accessTo(fleetHost(), AS_DROVER));
  });
  afterAll(() => host?.release());

  const sql = (statements: string, password = PASSWORD): Promise<string> =>
    fleetHost().exec('docker exec -e MYSQL_PWD="$2" "$1" mariadb -ufirst -N shop -e "$3"', [
      CONTAINER,
      password,
      statements,
    ]);
  const at = (over: Partial<DumpConnection> = {}): DumpConnection => ({
    name: 'shop',
    kind: 'mysql',
    client: 'docker',
    container: CONTAINER,
    database: 'shop',
    user: 'first',
    host: null,
    port: null,
    password: PASSWORD,
    ...over,
  });
  const dumped = async (from = at()): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of client.read(host, from, signal)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const piecesOf = async function* (content: Buffer): AsyncGenerator<Buffer> {
    for (let from = 0; from < content.length; from += 10_000) yield content.subarray(from, from + 10_000);
  };

  it('is taken by the client in it and restored there, and the password is in no process list', async () => {
    const before = await sql(SUM);
    const watching = fleetHost().exec(
      'for n in $(seq 40); do cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "; echo; done',
    );
    const content = await dumped();
    expect(await watching).not.toContain(PASSWORD);
    await sql('DELETE FROM notes WHERE n > 10');
    expect(await sql(SUM)).not.toBe(before);
    expect(await client.look(host, at(), signal)).toMatchObject({
      exists: true,
      tables: 1,
      version: expect.stringContaining('MariaDB'),
    });
    await client.restore(host, at(), piecesOf(content), signal);
    expect(await sql(SUM)).toBe(before);
  });

  it('fails with what the client says, and names a container that is not there or has no client', async () => {
    const refusal = await expectRefusal(dumped(at({ password: 'wrong' })), 'dump_failed');
    expect(refusal.message).toContain('Access denied');
    expect((await expectRefusal(dumped(at({ container: 'nothing' })), 'dump_failed')).message).toContain(
      'nothing',
    );
    await expectRefusal(dumped(at({ kind: 'postgres' })), 'host_tool_missing');
    await expectRefusal(dumped(at({ client: 'podman' })), 'host_tool_missing');
  });

  it('is not taken for whole if its container is killed in the middle', async () => {
    await sql('INSERT INTO notes SELECT 10000 + seq, REPEAT(UNHEX(MD5(seq)), 200) FROM seq_1_to_30000');
    const killed = async (): Promise<void> => {
      let isKilled = false;
      for await (const _ of client.read(host, at(), signal)) {
        if (!isKilled) await fleetHost().exec('docker kill "$1" >&2', [CONTAINER]);
        isKilled = true;
      }
    };
    await expectRefusal(killed(), 'dump_failed');
  });
});
