import { beforeAll, beforeEach, expect, it } from 'vitest';
import { ShellDetachedRuns } from '../../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import { AptPackageManager } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { SystemClock } from '../../../../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { PatchOutcome } from '../../../../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { PackageChange } from '../../../../../src/domain/fleet/package-change.ts';
import { DEFAULT_OS_STEPS, type OsStep } from '../../../../../src/domain/jobs/job.ts';
import { follow } from '../../../../contracts/detached-runs.contract.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { installDemo, publish } from '../../../../fleet/apt-repo.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { eventually } from '../../../../support/processes.ts';

const APP: PackageChange = { kind: 'upgrade', name: 'demo-app', from: '1.0', to: '2.0', security: false };
const KERNEL: PackageChange = {
  kind: 'upgrade',
  name: 'demo-kernel',
  from: '1.0',
  to: '1.1',
  security: true,
};
const LIB: PackageChange = {
  kind: 'upgrade',
  name: 'demo-lib',
  from: '1.0',
  to: '1.0+deb12u1',
  security: true,
};
const VERSION = 'dpkg-query -W -f \'${Version}\' "$1"';
const HOLD_LOCK = `setsid python3 -c '
import fcntl, time
lock = open("/var/lib/dpkg/lock-frontend", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
open("/run/locked", "w").close()
time.sleep(float(__import__("sys").argv[1]))
' "$1" >/dev/null 2>&1 </dev/null &
echo $!
until [ -e /run/locked ]; do sleep 0.02; done
rm /run/locked`;
/** Half of an upgrade: unpacked, and not configured. */
const HALF = 'dpkg --unpack /srv/apt/pool/stable/demo-app_2.0_all.deb';
/** A demo-app 3.0 that cannot live beside demo-old, which is installed. */
const IN_THE_WAY = `mkdir -p /srv/way && cd /srv/way
make() {
  mkdir -p new/DEBIAN
  printf '%s\\n' "Package: $1" "Version: $2" 'Architecture: all' 'Maintainer: Demo <demo@fleet>' "$3" 'Description: in the way' |
    grep . >new/DEBIAN/control
  dpkg-deb -Zgzip --root-owner-group -b new "$1.deb" >&2
}
make demo-old 1.0 ''
dpkg -i demo-old.deb >&2
make demo-app 3.0 'Conflicts: demo-old'
{ cat new/DEBIAN/control
  echo 'Filename: ./demo-app.deb'
  echo "Size: $(stat -c %s demo-app.deb)"
  echo "SHA256: $(sha256sum demo-app.deb | cut -d' ' -f1)"; } >Packages
echo 'deb [trusted=yes] file:/srv/way ./' >/etc/apt/sources.list.d/way.list`;

describeWith('fleet', 'patching with apt', () => {
  const fleetHost = useHost();
  const system = { clock: new SystemClock(), randomness: new SystemRandomness() };
  const manager = new AptPackageManager({ ...system, lockWaitMs: 60_000 });
  const impatient = new AptPackageManager({ ...system, lockWaitMs: 2_000 });
  const runs = new ShellDetachedRuns();
  const { signal } = new AbortController();
  let hosts: SshRemoteHosts;
  let host: RemoteHost;
  let count = 0;
  beforeAll(() => {
    hosts = new SshRemoteHosts();
    return () => hosts.closeAll();
  });
  beforeEach(async () => {
    await fleetHost().reset();
    await hosts.closeAll();
    hosts = new SshRemoteHosts();
    host = await hosts.connect(accessTo(fleetHost()));
    await installDemo(fleetHost());
    await publish(fleetHost(), 'v2');
  });

  const patch = async (
    plan: readonly PackageChange[] | null = null,
    steps: readonly OsStep[] = DEFAULT_OS_STEPS,
    by = manager,
    hold: readonly string[] = [],
  ): Promise<PatchOutcome & { log: string }> => {
    count += 1;
    const id = `patch-${count}`;
    await runs.start(host, { id, ...by.patch({ steps, plan, hold }) });
    const { log, state } = await follow(runs, host, id);
    if (state.kind !== 'ended') throw new Error(`the patch ${state.kind}: ${log}`);
    return { ...manager.outcome({ exitCode: state.exitCode, result: await runs.result(host, id) }), log };
  };
  const planned = async () => (await manager.plan(host, { steps: DEFAULT_OS_STEPS, signal })).changes;
  const refresh = () => fleetHost().exec('apt-get -q update >&2');
  const version = (name: string) => fleetHost().exec(VERSION, [name]);
  const audit = () => fleetHost().exec('dpkg --audit');

  it('upgrades what is pending, and reports what changed', async () => {
    const done = await patch();
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, KERNEL, LIB], planNow: null });
    expect(await audit()).toBe('');
    expect(done.log).toMatch(/Refreshing the package lists.[^]*Upgrading packages.[^]*Setting up demo-app/);
    expect((await patch()).changes).toEqual([]);
  });

  it('leaves held packages, and makes files that all may read', async () => {
    await fleetHost().exec('apt-mark hold demo-lib && rm -rf /usr/share/demo');
    expect((await patch()).changes).toEqual([APP, KERNEL]);
    expect(await version('demo-lib')).toBe('1.0');
    expect(await fleetHost().exec('stat -c %a /usr/bin/demo-app')).toBe('755\n');
  });

  it('holds packages for one run, beside the pins of the host', async () => {
    await refresh();
    await fleetHost().exec(
      'printf "Package: demo-kernel\\nPin: version *\\nPin-Priority: -1\\n" >/etc/apt/preferences',
    );
    const hold = ['demo-lib'];
    const { changes, keptBack } = await manager.plan(host, { steps: DEFAULT_OS_STEPS, hold, signal });
    expect(changes).toEqual([APP]);
    expect(keptBack.map(({ name }) => name)).toContain('demo-lib');
    const done = await patch(changes, DEFAULT_OS_STEPS, manager, hold);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP] });
    expect(await fleetHost().exec('ls /tmp; apt-mark showhold; rm /etc/apt/preferences')).not.toMatch(
      /hold|demo/,
    );
    expect((await patch()).changes).toEqual([KERNEL, LIB]);
  });

  it('upgrades all but the held packages without a plan', async () => {
    const done = await patch(null, DEFAULT_OS_STEPS, manager, ['demo-app', 'demo-kernel', 'no-such']);
    expect(done, done.log).toMatchObject({ failure: null, changes: [LIB] });
  });

  it('takes no step that it was not asked for', async () => {
    expect((await patch(null, ['update'])).changes).toEqual([]);
    expect((await patch(null, ['autoremove'])).changes).toEqual([]);
    expect((await patch(null, ['upgrade'])).changes).toEqual([APP, KERNEL, LIB]);
  });

  it('removes what is in the way by a full upgrade only, and by its plan just that', async () => {
    await fleetHost().exec(IN_THE_WAY);
    await refresh();
    const gone = { kind: 'remove', name: 'demo-old', from: '1.0', to: null, security: false };
    const app = { ...APP, to: '3.0' };
    expect((await manager.plan(host, { steps: ['upgrade'], signal })).changes).toEqual([KERNEL, LIB]);
    const steps = ['full_upgrade'] as const;
    const { changes } = await manager.plan(host, { steps, signal });
    expect(changes).toEqual([gone, app, KERNEL, LIB]);
    const done = await patch(changes, steps);
    expect(done, done.log).toMatchObject({ failure: null, changes: [gone, app, KERNEL, LIB] });
  });

  it('removes what is no longer needed', async () => {
    await fleetHost().exec('apt-mark auto demo-app');
    const gone = { kind: 'remove', name: 'demo-app', from: '1.0', to: null, security: false };
    expect((await patch(null, ['autoremove'])).changes).toEqual([gone]);
  });

  it('does just what the plan says, and keeps the marks of dependencies', async () => {
    await refresh();
    await fleetHost().exec('apt-mark hold demo-kernel');
    const plan = await planned();
    expect(plan).toEqual([APP, LIB]);
    const auto = await fleetHost().exec('apt-mark showauto');
    const done = await patch(plan);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, LIB] });
    expect(await fleetHost().exec('apt-mark showauto')).toBe(auto);
  });

  it('removes by plan only what the plan names', async () => {
    await fleetHost().exec('apt-mark auto demo-app');
    const steps = ['autoremove'] as const;
    const { changes } = await manager.plan(host, { steps, signal });
    expect(changes).toMatchObject([{ kind: 'remove', name: 'demo-app' }]);
    expect(await patch(changes, steps)).toMatchObject({ failure: null, changes });
  });

  it('changes nothing if the host is no longer as planned, and reports the new plan', async () => {
    await refresh();
    const plan = await planned();
    await fleetHost().exec('apt-get -y install demo-app >&2');
    const done = await patch(plan);
    expect(done).toMatchObject({ failure: { code: 'plan_drifted' }, changes: [], planNow: [KERNEL, LIB] });
    expect(await version('demo-lib')).toBe('1.0');
  });

  it('names the package that cannot be configured, and what changed all the same', async () => {
    await fleetHost().exec('apt-get -y install demo-broken=1.0 >&2');
    const { failure, changes } = await patch();
    expect(failure).toMatchObject({ code: 'patch_failed', message: expect.stringContaining('demo-broken') });
    expect(changes.map(({ name }) => name)).toEqual(['demo-app', 'demo-broken', 'demo-kernel', 'demo-lib']);
    expect(await audit()).toContain('demo-broken');
  });

  it('finishes first what an earlier run left half done', async () => {
    await fleetHost().exec(HALF);
    expect(await audit()).toContain('demo-app');
    const done = await patch();
    expect(done.log).toContain('An earlier run of dpkg was cut off');
    expect(done).toMatchObject({ failure: null, changes: [KERNEL, LIB] });
    expect(await audit()).toBe('');
  });

  it('waits for a lock that another program holds', async () => {
    const holder = (await fleetHost().exec(HOLD_LOCK, ['120'])).trim();
    const patching = patch();
    const told = 'grep -qs "Another program holds a lock" /root/.drover/runs/*/log';
    await eventually('it waits for the lock', 60_000, async () =>
      (await fleetHost().tryExec(told)).code === 0 ? true : undefined,
    );
    await fleetHost().exec('kill "$1"', [holder]);
    const done = await patching;
    expect(done.log).toContain('Another program holds a lock');
    expect(done).toMatchObject({ failure: null, changes: [APP, KERNEL, LIB] });
  });

  it('waits no longer than it may, and has changed nothing', async () => {
    await fleetHost().exec(HOLD_LOCK, ['60']);
    const { failure, changes } = await patch(null, DEFAULT_OS_STEPS, impatient);
    expect(failure).toMatchObject({ code: 'host_command_failed', message: expect.stringContaining('lock') });
    expect(changes).toEqual([]);
  });

  it('does not start without enough space', async () => {
    await fleetHost().fillDisk('/var/cache/apt/archives', 8 * 1024 * 1024);
    const { failure, changes } = await patch();
    expect(failure).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/\/var\/cache\/apt\/archives needs 17 MiB and has \d MiB/),
    });
    expect(changes).toEqual([]);
  });

  it('changes nothing where no list can be refreshed', async () => {
    await fleetHost().exec('rm -rf /srv/apt/dists');
    const { failure, changes } = await patch();
    expect(failure).toMatchObject({ code: 'host_command_failed' });
    expect(changes).toEqual([]);
  });
});
