import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { Service } from '../support/service.ts';
import { enrol } from './enrol.ts';
import { SlowPatches } from './slow-patches.ts';

describeWith('fleet', 'a patch', () => {
  describe('of a service with a database of its own', () => {
    const host = useHost();
    const patches = new SlowPatches(host);
    let service: Service;
    let rest: RestClient;
    let id: number;
    beforeAll(async () => {
      service = await Service.start();
      await patches.prepare();
      rest = new RestClient(service.url, await service.token());
      id = await enrol(service, host(), 'web', { options: ['--features', 'os_patch=on'] });
      return () => service.remove();
    });

    const cuts = rounds(2, 20);
    it(`outlives a connection that is cut, ${cuts} times of ${cuts}`, async () => {
      for (let round = 0; round < cuts; round += 1) {
        const job = await patches.begin(rest, id);
        await host().killConnections();
        await patches.expectWhole(await patches.end(rest, job));
      }
    });

    it('is followed to its end although it is cancelled', async () => {
      const job = await patches.begin(rest, id);
      expect(await rest.post(`/api/v1/jobs/${job}/cancel`)).toMatchObject({ status: 202 });
      const ended = await patches.end(rest, job);
      expect(ended.log_lines?.join('\n')).toContain('cannot be cut');
      await patches.expectWhole(ended);
    });

    const kills = rounds(2, 20);
    it(`outlives a service that is killed and started anew, ${kills} times of ${kills}`, async () => {
      for (let round = 0; round < kills; round += 1) {
        const job = await patches.begin(rest, id);
        await service.kill9();
        await service.start();
        const ended = await patches.end(rest, job);
        expect(ended.log_lines?.join('\n')).toContain('Taking up the work that goes on on the host.');
        await patches.expectWhole(ended);
      }
    });
  });
});

describeWith(['fleet', 'mariadb'], 'a patch whose replica is killed', () => {
  const host = useHost();
  const patches = new SlowPatches(host);
  const replicas: Service[] = [];
  let id: number;
  let token: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshMariaDb();
    drop = database.drop;
    const settings = {
      SERVICE_DATABASE_URL: database.url,
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    replicas.push(await Service.start({ settings }), await Service.prepare({ settings }));
    await patches.prepare();
    const [first] = replicas;
    if (!first) throw new Error('there are two');
    token = await first.token();
    id = await enrol(first, host(), 'web', { options: ['--features', 'os_patch=on'] });
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.remove()));
    await drop();
  });

  const takeovers = rounds(2, 20);
  it(`is taken over by another, ${takeovers} times of ${takeovers}`, async () => {
    for (let round = 0; round < takeovers; round += 1) {
      const [busy, idle] = round % 2 === 0 ? replicas : replicas.toReversed();
      if (!busy || !idle) throw new Error('there are two');
      const job = await patches.begin(new RestClient(busy.url, token), id);
      await idle.start();
      await busy.kill9();
      const ended = await patches.end(new RestClient(idle.url, token), job);
      expect(ended.log_lines?.join('\n')).toContain('Taking up the work that goes on on the host.');
      await patches.expectWhole(ended);
    }
  });
});
