import { expect } from 'vitest';
import { emptyDocker, imageName, publishImage, waitForDocker } from '../fleet/docker.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import type { JobDetail, RestClient } from '../support/rest-client.ts';
import { type Patches, patchTroubles } from './troubled-patches.ts';

const SHOP = '/srv/stacks/shop';
const app = imageName('app');

/** Each patches to the other image, and now and then to a broken one. */
class ContainerPatches implements Patches {
  readonly isHeld = false;
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

  end(rest: RestClient, job: number): Promise<JobDetail> {
    return rest.jobEnd(job);
  }

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
    // The next round starts from the registry's digest of the running image.
    if (isBroken) this.#digests = { from: '', to: this.#digests.from };
  }
}

patchTroubles({
  name: 'a container patch',
  needs: 'docker',
  feature: 'docker',
  shortRounds: 1,
  useHost: useDockerHost,
  patchesOn: (host) => new ContainerPatches(host),
});
