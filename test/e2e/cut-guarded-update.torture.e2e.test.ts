import { expect } from 'vitest';
import { fingerprint, publishDataImage, startDataProject } from '../fleet/data-image.ts';
import { emptyDocker, imageName, waitForDocker } from '../fleet/docker.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useDockerHost } from '../fleet/use-host.ts';
import type { JobDetail, RestClient } from '../support/rest-client.ts';
import { type Patches, patchTroubles } from './troubled-patches.ts';

const SHOP = '/srv/stacks/shop';
const db = imageName('db');

/** Where the trouble comes: each round at another point of the update. */
const POINTS = [/Stopping the project/, /The data is saved/, /Not healthy/, /The data is restored/];

/** In turns an update whose data is migrated in vain, and one that stays. */
class GuardedUpdates implements Patches {
  readonly isHeld = false;
  readonly #host: () => FleetHost;
  #round = 0;
  #before = '';
  #volume = '';
  #isBroken = false;

  constructor(host: () => FleetHost) {
    this.#host = host;
  }

  async prepare(): Promise<void> {
    await waitForDocker(this.#host());
  }

  async begin(rest: RestClient, server: number): Promise<number> {
    this.#round += 1;
    this.#isBroken = this.#round % 2 === 1;
    const host = this.#host();
    await host.exec('cd /srv/stacks/shop 2>/dev/null && docker compose down -v >&2 || :');
    await emptyDocker(host);
    await publishDataImage(host, db, 1);
    await startDataProject(host, SHOP, db);
    this.#volume = (await host.exec("docker volume inspect --format '{{.Mountpoint}}' shop_data")).trim();
    this.#before = await this.#data();
    await publishDataImage(host, db, 2, this.#isBroken ? 'broken' : 'v2');
    const job = await rest.begin(server, { job_type: 'container_patch', guard: true, observe_minutes: 0 });
    const points = POINTS.slice(0, this.#isBroken ? POINTS.length : 2);
    const point = points[Math.floor(this.#round / 2) % points.length] ?? /Stopping/;
    await rest.jobThat(
      `is at ${point.source}`,
      job,
      ({ done, log_lines: lines }) => done || (lines ?? []).some((line) => point.test(line)),
    );
    return job;
  }

  end(rest: RestClient, job: number): Promise<JobDetail> {
    return rest.jobEnd(job);
  }

  async expectWhole(job: JobDetail): Promise<void> {
    expect(job, `${job.error ?? ''}\n${job.log_lines?.join('\n')}`).toMatchObject(
      this.#isBroken
        ? { status: 'failed', error_code: 'deploy_failed', result: { rolled_back: true, changes: [] } }
        : { status: 'success', result: { changes: [{ service: 'db' }] } },
    );
    if (this.#isBroken) expect(await this.#data()).toBe(this.#before);
    else expect(await this.#host().exec('cat "$1/table"', [this.#volume])).toBe('2:first\n2:second\n');
    const running = "docker inspect --format '{{.State.Running}} {{.State.Health.Status}}' shop-db-1";
    expect((await this.#host().exec(running)).trim()).toBe('true healthy');
    const copies = "find /var/lib/docker/volumes /srv -maxdepth 3 -name '.drover-guard*'";
    expect(await this.#host().exec(copies)).toBe('');
  }

  /** The whole data, byte for byte. */
  async #data(): Promise<string> {
    const host = this.#host();
    return `${await fingerprint(host, this.#volume)}${await fingerprint(host, `${SHOP}/files`)}`;
  }
}

patchTroubles({
  name: 'a guarded update',
  needs: 'docker',
  feature: 'docker',
  shortRounds: 1,
  useHost: useDockerHost,
  patchesOn: (host) => new GuardedUpdates(host),
  onEnrolled: async (service, host) => {
    const root = (await host.exec("docker info --format '{{.DockerRootDir}}'")).trim();
    await service.cli(['server', 'features', 'web', 'backup=on']);
    const paths = ['--path', `${root}/volumes/shop_data`, '--path', SHOP];
    await service.cli(['source', 'add', 'web', '--name', 'data', ...paths]);
  },
});
