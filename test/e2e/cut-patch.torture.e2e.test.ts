import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetHost } from '../fleet/host.ts';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { Service } from '../support/service.ts';
import { enrol } from './enrol.ts';

const TICKS = 40;
/** Offers version "$1" of a package whose configuration says how it goes, waits to be let go on, and counts itself. */
const PUBLISH = `mkdir -p /srv/slow/new/DEBIAN && cd /srv/slow && rm -f go
cat >new/DEBIAN/control <<END
Package: demo-slow
Version: $1
Architecture: all
Maintainer: Demo <demo@fleet>
Description: takes its time
END
cat >new/DEBIAN/postinst <<'END'
#!/bin/sh
n=0
while [ "$n" -lt ${TICKS} ]; do
  echo "tick $n"
  sleep 0.05
  n=$((n + 1))
  [ "$n" -ne 10 ] || until [ -e /srv/slow/go ]; do sleep 0.05; done
done
echo "configured after $2" >>/srv/slow/ran
END
chmod 755 new/DEBIAN/postinst && rm -f ./*.deb
dpkg-deb -Zgzip --root-owner-group -b new "demo-slow_$1_all.deb" >&2
{ cat new/DEBIAN/control
  echo "Filename: ./demo-slow_$1_all.deb"
  echo "Size: $(stat -c %s "demo-slow_$1_all.deb")"
  echo "SHA256: $(sha256sum "demo-slow_$1_all.deb" | cut -d' ' -f1)"; } >Packages
echo 'deb [trusted=yes] file:/srv/slow ./' >/etc/apt/sources.list.d/slow.list`;
const INSTALL =
  'touch /srv/slow/go && apt-get -q update >&2 && apt-get -q -y install demo-slow >&2 && rm /srv/slow/ran';

/** What the package said, without the times before it. */
const ticksOf = ({ log_lines = [] }: JobDetail): string[] =>
  log_lines.flatMap((line) => /tick \d+$/.exec(line)?.[0] ?? []);

/** The rounds of one kind of trouble, on one host that keeps its packages between them. */
class SlowPatches {
  readonly #host: () => FleetHost;
  #version = 1;
  #ran = 0;

  constructor(host: () => FleetHost) {
    this.#host = host;
  }

  async prepare(): Promise<void> {
    await this.#host().exec(PUBLISH, ['1.0']);
    await this.#host().exec(INSTALL);
  }

  /** Starts a patch and returns it in the middle of its transaction. */
  async begin(rest: RestClient, server: number): Promise<number> {
    await this.#host().exec(PUBLISH, [`1.${this.#version}`]);
    this.#version += 1;
    const job = await rest.begin(server, { job_type: 'os_patch' });
    await rest.jobThat('configures the package', job, (seen) => ticksOf(seen).includes('tick 3'));
    return job;
  }

  /** Lets the configuration go on, and so the job end. */
  async end(rest: RestClient, job: number): Promise<JobDetail> {
    await this.#host().exec('touch /srv/slow/go');
    return rest.jobEnd(job);
  }

  /** Whatever was done to it: it ended well, ran once, and the log is whole and in order. */
  async expectWhole(job: JobDetail): Promise<void> {
    this.#ran += 1;
    const to = `1.${this.#version - 1}`;
    expect(job, job.error ?? '').toMatchObject({
      status: 'success',
      result: { changes: [{ kind: 'upgrade', name: 'demo-slow', to }] },
    });
    expect(ticksOf(job)).toEqual(Array.from({ length: TICKS }, (_, n) => `tick ${n}`));
    expect(await this.#host().exec('dpkg --audit')).toBe('');
    expect((await this.#host().exec('cat /srv/slow/ran')).trim().split('\n')).toHaveLength(this.#ran);
    expect(await this.#host().exec("dpkg-query -W -f '${Version} ${Status}' demo-slow")).toBe(
      `${to} install ok installed`,
    );
  }
}

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
