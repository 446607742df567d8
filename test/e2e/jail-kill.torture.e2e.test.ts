import { createHash, randomBytes } from 'node:crypto';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { writerOf } from '../../src/adapters/outbound/hosts/jail/part-name.ts';
import { jailRoot } from '../adapters/outbound/hosts/jail/here.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { rounds } from '../support/rounds.ts';
import { type Service, useService } from '../support/service.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';

const ROUNDS = rounds(2, 100);
const BOUNDARY = '----of-a-test';
const HALF = randomBytes(2_000_000);
const Key = z.object({ public_key: z.string() });
const Added = z.object({ id: z.int() });
const Made = z.object({ secret: z.string() });

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Sends half of a file, and leaves the rest to come. */
function beginUpload(service: Service, token: string, serverId: number): ClientRequest {
  const sending = request(`${service.url}/api/v1/servers/${serverId}/files`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
  });
  sending.on('error', () => undefined);
  sending.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="p"\r\n\r\n\r\n`);
  sending.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n`);
  sending.write(HALF);
  return sending;
}

describeWith('ssh', 'a service that is killed in the middle of uploads', () => {
  const service = useService();
  const removals: Array<() => Promise<void>> = [];
  /** The file root of each server: one of the machine itself, one over SSH. */
  const jails = new Map<number, string>();
  let token: string;
  let sshd: Sshd;

  beforeAll(async () => {
    sshd = await startSshd();
    const { public_key } = await service().ask(Key, ['key', 'create', 'web']);
    await appendFile(join(sshd.directory, 'authorized_keys'), `${public_key}\n`);
    const address = ['--host', '127.0.0.1', '--port', String(sshd.port), '--user', userInfo().username];
    const trust = ['--key', 'web', '--host-key', sshd.hostKeys['ed25519']?.fingerprint ?? ''];
    const { id } = await service().ask(Added, ['server', 'add', 'web', ...address, ...trust]);
    // the first start has taken the machine itself into the fleet
    for (const server of [1, id]) {
      const { root, remove } = await jailRoot();
      removals.push(remove);
      jails.set(server, root);
      await service().ask(z.unknown(), ['server', 'edit', String(server), '--jail', root]);
    }
    // both are the service's own machine, so the token names them
    const named = [...jails.keys()].flatMap((server) => ['--server', String(server)]);
    const options = ['--name', 'files', '--scopes', 'read,files', ...named];
    ({ secret: token } = await service().ask(Made, ['token', 'create', ...options]));
  });
  afterAll(async () => {
    await sshd.stop();
    for (const remove of removals) await remove();
  });

  const partsOf = async (jail: string): Promise<string[]> =>
    (await readdir(jail)).filter((name) => writerOf(name) !== null);
  const parts = async (): Promise<string[]> => (await Promise.all([...jails.values()].map(partsOf))).flat();

  it('leaves the previous files, and the next start tidies up on this machine and over SSH', async () => {
    const [here = '', there = ''] = jails.values();
    const former = randomBytes(300_000);
    for (const jail of [here, there]) await writeFile(join(jail, 'file'), former);
    for (let round = 0; round < ROUNDS; round += 1) {
      const uploads = [...jails.keys()].map((id) => beginUpload(service(), token, id));
      const [part = ''] = await eventually('both are under way', 60_000, async () => {
        const found = await partsOf(there);
        return found.length > 0 && (await partsOf(here)).length > 0 ? found : undefined;
      });
      // the helper of a host that loses power cannot tidy up, any other does
      const helperDies = round % 2 === 0;
      if (helperDies) process.kill(Number(writerOf(part)?.split('.')[2]), 'SIGKILL');
      await service().kill9();
      for (const upload of uploads) upload.destroy();
      if (helperDies) expect(await partsOf(there)).toHaveLength(1);
      expect(await partsOf(here)).toHaveLength(1);
      for (const jail of [here, there]) {
        expect(sha256(await readFile(join(jail, 'file')))).toBe(sha256(former));
      }
      await service().start();
      const none = async (): Promise<true | undefined> => ((await parts()).length === 0 ? true : undefined);
      await eventually('nothing is left', 60_000, none);
      const noted = async (): Promise<true | undefined> =>
        (await readdir(join(service().dataDir, 'writes'))).length === 0 ? true : undefined;
      await eventually('the journal is empty', 60_000, noted);
    }
  });
});
