import { expect } from 'vitest';
import type { JobDetail, RestClient } from '../support/rest-client.ts';
import type { Patches } from './troubled-patches.ts';

const TICKS = 40;
/** Offers version "$1" of a package whose configuration reports progress, waits for a release, and counts itself. */
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

/** The package's output, without timestamps. */
const ticksOf = ({ log_lines = [] }: JobDetail): string[] =>
  log_lines.flatMap((line) => /tick \d+$/.exec(line)?.[0] ?? []);

/** A host that the test reaches from behind. */
interface Host {
  exec(script: string, args?: readonly string[]): Promise<string>;
}

/** Upgrades of a package that wait, half configured, for a release. */
export class SlowPatches implements Patches {
  readonly isHeld = true;
  readonly #host: () => Host;
  #version = 1;
  #ran = 0;

  constructor(host: () => Host) {
    this.#host = host;
  }

  async prepare(): Promise<void> {
    await this.#host().exec(PUBLISH, ['1.0']);
    await this.#host().exec(INSTALL);
  }

  async begin(rest: RestClient, server: number, params: object = {}, withinMs?: number): Promise<number> {
    await this.#host().exec(PUBLISH, [`1.${this.#version}`]);
    this.#version += 1;
    const job = await rest.begin(server, { job_type: 'os_patch', ...params });
    await rest.jobThat('configures the package', job, (seen) => ticksOf(seen).includes('tick 3'), withinMs);
    return job;
  }

  async end(rest: RestClient, job: number): Promise<JobDetail> {
    await this.#host().exec('touch /srv/slow/go');
    return rest.jobEnd(job);
  }

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
