import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyDocker, imageName, publishImage, waitForDocker } from '../fleet/docker.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { Service } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const app = imageName('app');
const FEATURES = { options: ['--features', 'docker=on'] };

/** The rounds of one kind of trouble: each patches to the other image, and now and then to a broken one. */
class Patches {
  readonly #host: () => FleetHost;
  #round = 0;
  #running = 'v1';
  #expected: 'v1' | 'v2' | 'broken' = 'v1';
  #digests: { from: string; to: string } = { from: '', to: '' };

  constructor(host: () => FleetHost) {
    this.#host = host;
  }

  async prepare(): Promise<void> {
    await waitForDocker(this.#host());
    await emptyDocker(this.#host());
    this.#digests = { from: '', to: await publishImage(this.#host(), app, 'v1') };
    const content = JSON.stringify({ services: { web: { image: app } } });
    await this.#host().writeFile(`${SHOP}/compose.yaml`, content);
    await this.#host().exec('cd /srv/stacks/shop && docker compose up -d --wait >&2');
  }

  /** Starts a patch and returns it once its work is under way. */
  async begin(rest: RestClient, server: number): Promise<number> {
    this.#round += 1;
    const next = this.#running === 'v1' ? 'v2' : 'v1';
    this.#expected = this.#round % 2 === 0 ? 'broken' : next;
    const to = await publishImage(this.#host(), app, this.#expected);
    this.#digests = { from: this.#digests.to, to };
    const job = await rest.begin(server, { job_type: 'container_patch' });
    const isPulling = (seen: JobDetail): boolean =>
      seen.log_lines?.some((line) => /Pulling /.test(line)) ?? false;
    await rest.jobThat('pulls', job, isPulling);
    return job;
  }

  /** Whatever was done to it: it ended well or went back, was done once, and the log is whole. */
  async expectWhole(job: JobDetail): Promise<void> {
    const isBroken = this.#expected === 'broken';
    if (!isBroken) this.#running = this.#expected;
    expect(job, job.error ?? '').toMatchObject(
      isBroken
        ? { status: 'failed', error_code: 'deploy_failed', result: { rolled_back: true, changes: [] } }
        : { status: 'success', result: { changes: [{ service: 'web', to: this.#digests.to }] } },
    );
    const log = (job.log_lines ?? []).map((line) => line.slice(9));
    expect(log.filter((line) => line.startsWith('Pulling '))).toHaveLength(1);
    expect(log.filter((line) => line === 'Rolled back.')).toHaveLength(isBroken ? 1 : 0);
    expect((await this.#host().exec('docker exec shop-web-1 cat /edition')).trim()).toBe(this.#running);
    expect((await this.#host().exec('docker ps -aq | wc -l')).trim()).toBe('1');
    // The next round starts from what the registry had for the image that runs.
    if (isBroken) this.#digests = { from: '', to: this.#digests.from };
  }
}

describeWith('docker', 'a container patch', () => {
  describe('of a service with a database of its own', () => {
    const host = useDockerHost();
    const patches = new Patches(host);
    let service: Service;
    let rest: RestClient;
    let id: number;
    beforeAll(async () => {
      service = await Service.start();
      await patches.prepare();
      rest = new RestClient(service.url, await service.token());
      id = await enrol(service, host(), 'web', FEATURES);
      return () => service.remove();
    });

    const cuts = rounds(2, 20);
    it(`outlives a connection that is cut, ${cuts} times of ${cuts}`, async () => {
      for (let round = 0; round < cuts; round += 1) {
        const job = await patches.begin(rest, id);
        await host().killConnections();
        await patches.expectWhole(await rest.jobEnd(job));
      }
    });

    const kills = rounds(2, 20);
    it(`outlives a service that is killed and started anew, ${kills} times of ${kills}`, async () => {
      for (let round = 0; round < kills; round += 1) {
        const job = await patches.begin(rest, id);
        await service.kill9();
        await service.start();
        await patches.expectWhole(await rest.jobEnd(job));
      }
    });
  });
});

describeWith(['docker', 'mariadb'], 'a container patch whose replica is killed', () => {
  const host = useDockerHost();
  const patches = new Patches(host);
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
    id = await enrol(first, host(), 'web', FEATURES);
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
      await patches.expectWhole(await new RestClient(idle.url, token).jobEnd(job));
    }
  });
});
