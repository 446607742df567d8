import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { must } from '../../scripts/lib/programs.mjs';
import { waitForDocker } from '../fleet/docker.ts';
import type { FleetHost } from '../fleet/host.ts';
import { inContainer, runPlainContainer } from '../fleet/plain-containers.ts';
import { useDockerHost, useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { type Service, useService } from '../support/service.ts';
import { authorise } from './enrol.ts';
import { listed } from './snapshots.ts';

const FILES = 300;
/** With names, types and modes of all kinds; by tools that busybox has too. */
const FILL = `set -e
mkdir -p /srv/data/deep/er /srv/data/empty && cd /srv/data
n=0; while [ $n -lt ${FILES} ]; do echo "content $n" >"deep/f$n"; n=$((n + 1)); done
head -c 3000000 /dev/urandom >large
echo odd >' -rf; $(touch executed)'
ln large deep/er/other-name
ln -s ../large deep/link
ln -s /nowhere dangling
mkfifo pipe
chmod 600 large; chmod 4711 deep/f1; chmod 1770 empty; chown 12:34 deep/f2
touch -d '2001-02-03 04:05:06' deep/f3`;
const CHANGE = `cd /srv/data && echo changed >deep/f7 && rm deep/f8 && mkdir new && echo new >new/file`;
/**
 * Contents, types, modes, owners and times; of symbolic links their targets, since busybox's tar sets no times of
 * them.
 */
const DESCRIBE = `cd "$1" && find . -type f -exec sha256sum {} + | sort &&
find . ! -type l -exec stat -c '%n %f %u:%g %Y' {} + | sort && find . -type l -exec stat -c '%N' {} + | tr -d "'" | sort`;
const Key = z.object({ public_key: z.string() });
const Doctor = z.object({
  findings: z.array(z.object({ name: z.string(), verdict: z.string(), detail: z.string() })),
});

interface PlainHost {
  readonly name: string;
  readonly port: number;
  /** Lets this key in. */
  readonly prepare: (publicKey: string) => Promise<FleetHost>;
  readonly exec: (script: string, args?: readonly string[]) => Promise<string>;
}

/** Hosts that have `sshd`, `sh`, `find` and `tar`, and neither rsync nor restic. */
describeWith('docker', 'a host without rsync', () => {
  const debian = useHost();
  const docker = useDockerHost();
  const service = useService();
  let rest: RestClient;
  let restored: string;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    restored = await mkdtemp(join(tmpdir(), 'drover-restored-'));
    await waitForDocker(docker());
  });
  afterAll(() => rm(restored, { recursive: true, force: true }));

  const container = (name: string, tools: 'busybox' | 'debian', port: number): PlainHost => ({
    name,
    port,
    prepare: async (publicKey) => {
      await runPlainContainer(docker(), { name, tools, port }, publicKey);
      return docker();
    },
    exec: (script, args = []) => inContainer(docker(), name, script, args),
  });

  describe.each<PlainHost>([
    {
      name: 'minimal-debian',
      port: 22,
      prepare: async (publicKey) => {
        await debian().exec(
          'SUDO_FORCE_REMOVE=yes dpkg --purge --force-depends rsync restic python3-minimal sudo zstd procps >&2',
        );
        await authorise(debian(), 'root', publicKey);
        return debian();
      },
      exec: (script, args = []) => debian().exec(script, args),
    },
    container('busybox-container', 'busybox', 2201),
    container('debian-container', 'debian', 2202),
  ])('$name', ({ name, port, prepare, exec }) => {
    let id: number;
    let asAtFirst: string;
    beforeAll(async () => {
      id = await add(service(), { name, port, prepare });
      await exec(FILL);
      asAtFirst = await exec(DESCRIBE, ['/srv/data']);
    });
    const backUp = () => rest.run(id, { job_type: 'backup' });
    const restore = (snapshot: number, ...to: string[]) =>
      service().cli(['restore', String(snapshot), ...to, '--yes', '--json']);

    it('has none of the tools that help', async () => {
      expect(await exec('for tool in rsync restic python3 sudo; do command -v $tool; done; true')).toBe('');
    });

    it('is backed up whole, and then by what changed', async () => {
      const first = await backUp();
      expect(first, first.error ?? '').toMatchObject({ status: 'success' });
      await exec(CHANGE);
      const second = await backUp();
      expect(second, second.error ?? '').toMatchObject({ status: 'success' });
      const [after, before] = await listed(rest, id);
      expect(before).toMatchObject({ file_count: FILES + 6, vanished_count: 0 });
      expect(after).toMatchObject({ file_count: FILES + 6, vanished_count: 0 });
      expect(after?.transferred_bytes).toBe('changed\n'.length + 'new\n'.length);
    });

    it('gets both back on itself, as they were', async () => {
      const [after, before] = await listed(rest, id);
      if (!after || !before) throw new Error('there are two');
      for (const [snapshot, target] of [
        [before, '/var/tmp/first'],
        [after, '/var/tmp/second'],
      ] as const) {
        const done = await restore(snapshot.id, '--on-host', '--to', target);
        expect(done, done.stderr).toMatchObject({ code: 0 });
      }
      expect(await exec(DESCRIBE, ['/var/tmp/first/srv/data'])).toBe(asAtFirst);
      const asNow = await exec(DESCRIBE, ['/srv/data']);
      expect(await exec(DESCRIBE, ['/var/tmp/second/srv/data'])).toBe(asNow);
      await exec('rm -r /srv/data/deep /srv/data/large');
      expect(await restore(after.id, '--in-place')).toMatchObject({ code: 0 });
      expect(await exec(DESCRIBE, ['/srv/data'])).toBe(asNow);
      const target = join(restored, name);
      expect(await restore(after.id, '--to', target)).toMatchObject({ code: 0 });
      const here = await must('sh', ['-c', DESCRIBE, 'sh', join(target, 'srv/data')]);
      expect(here).toBe(asNow);
    });

    it('has its last snapshot verified', async () => {
      const ids = (await listed(rest, id)).map((snapshot) => String(snapshot.id));
      const verified = await service().cli(['snapshot', 'verify', ...ids.slice(0, 1), '--all', '--wait']);
      expect(verified, verified.stdout + verified.stderr).toMatchObject({ code: 0 });
    });

    it('lets doctor report no problem, and rsync as an option', async () => {
      const { json } = await service().cli(['doctor', '--json']);
      const rsync = Doctor.parse(json).findings.find((finding) => finding.name === 'rsync');
      expect(rsync).toMatchObject({ verdict: 'ok', detail: expect.stringContaining('large files') });
    });
  });
});

/** Takes it into the fleet with a source of all that `FILL` makes. */
async function add(
  service: Service,
  { name, port, prepare }: Pick<PlainHost, 'name' | 'port' | 'prepare'>,
): Promise<number> {
  const { public_key } = await service.ask(Key, ['key', 'create', name]);
  const host = await prepare(public_key);
  const place = ['--host', host.address, '--port', String(port), '--key', name];
  const trust = ['--host-key', host.hostKey.fingerprint, '--features', 'backup=on'];
  const added = await service.ask(z.object({ id: z.int(), checked: z.boolean() }), [
    'server',
    'add',
    name,
    ...place,
    ...trust,
  ]);
  if (!added.checked) throw new Error(`${name} was added and not checked`);
  const source = ['source', 'add', name, '--name', 'data', '--path', '/srv/data'];
  expect(await service.cli(source)).toMatchObject({ code: 0 });
  return added.id;
}
