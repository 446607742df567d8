import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { enrolAll } from '../../test/fleet/enrol-all.ts';
import type { FleetHost } from '../../test/fleet/host.ts';
import { RestClient } from '../../test/support/rest-client.ts';
import { Service } from '../../test/support/service.ts';
import { type Measured, processorTime } from './measured.ts';

/** As many at a time as Ansible has forks. */
export const AT_ONCE = 32;
const LOOK_EVERY_MS = 50;
const WARM_TURNS = 6;
const Started = z.object({ batch_id: z.int() });
const Batch = z.object({ batch: z.object({ done: z.boolean(), status: z.string(), hosts: z.unknown() }) });

/** The built service in a separate process, used over REST as by a script. */
export class Drover {
  readonly #service: Service;
  readonly #rest: RestClient;
  readonly #ids: ReadonlyMap<string, number>;

  private constructor(service: Service, rest: RestClient, ids: ReadonlyMap<string, number>) {
    this.#service = service;
    this.#rest = rest;
    this.#ids = ids;
  }

  static async prepare(hosts: readonly FleetHost[]): Promise<Drover> {
    const service = await Service.prepare({
      settings: { SERVICE_CONCURRENCY: String(AT_ONCE), SERVICE_LOG_LEVEL: 'info' },
    });
    const { ids, secret } = await enrolAll(service.dataDir, hosts);
    await service.start();
    return new Drover(service, new RestClient(service.url, secret), ids);
  }

  /**
   * After a while, the normal state of a service: Node compiles code while it runs, and one of the first hundred jobs
   * takes three times as long.
   */
  async warmUp(hosts: readonly FleetHost[]): Promise<void> {
    for (let turn = 0; turn < WARM_TURNS; turn += 1) {
      await this.facts(hosts);
      await this.check(hosts);
    }
  }

  /** Facts and pending updates, without a refresh: it always reports both. */
  facts(hosts: readonly FleetHost[]): Promise<Measured> {
    return this.#batch(hosts, { job_type: 'os_update_check', dry_run: true });
  }

  check(hosts: readonly FleetHost[]): Promise<Measured> {
    return this.#batch(hosts, { job_type: 'os_update_check' });
  }

  stop(): Promise<void> {
    return this.#service.remove();
  }

  /** From the request until the batch is seen as done. */
  async #batch(hosts: readonly FleetHost[], job: object): Promise<Measured> {
    const { pid } = this.#service.process;
    const ids = hosts.map(({ name }) => this.#ids.get(name));
    const [startedAt, used] = [performance.now(), processorTime(pid)];
    const reply = await this.#rest.post('/api/v1/jobs', { ...job, selector: { ids }, max_parallel: 100 });
    const { batch_id } = Started.parse(reply.body);
    for (;;) {
      const { batch } = Batch.parse((await this.#rest.get(`/api/v1/batches/${batch_id}?limit=1`)).body);
      if (batch.done) {
        if (batch.status !== 'success') throw new Error(`the batch ${JSON.stringify(batch)}`);
        return { wall: (performance.now() - startedAt) / 1_000, cpu: processorTime(pid) - used };
      }
      await sleep(LOOK_EVERY_MS);
    }
  }
}
