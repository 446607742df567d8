import { beforeAll, beforeEach, expect, it } from 'vitest';
import { ShellDetachedRuns } from '../../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import { AptPackageManager } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { SystemClock } from '../../../../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type {
  DowngradeTarget,
  PackageManager,
  PatchOutcome,
  PatchWork,
} from '../../../../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { PackageChange } from '../../../../../src/domain/fleet/package-change.ts';
import { follow } from '../../../../contracts/detached-runs.contract.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { installDemo, publish } from '../../../../fleet/apt-repo.ts';
import { becomeFamily, FAMILY_KITS } from '../../../../fleet/families.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { eventually } from '../../../../support/processes.ts';
import { managerOf } from './family-host.ts';

const { signal } = new AbortController();
const down = (name: string, from: string, to: string): PackageChange => ({
  kind: 'downgrade',
  name,
  from,
  to,
  security: false,
});
const gone = (name: string, from: string): PackageChange => ({
  kind: 'remove',
  name,
  from,
  to: null,
  security: false,
});

/** Plans downgrades on one host, and applies them as jobs do. */
class Downgrades {
  readonly runs = new ShellDetachedRuns();
  readonly host: RemoteHost;
  readonly manager: PackageManager;
  #count = 0;

  constructor(host: RemoteHost, manager: PackageManager) {
    this.host = host;
    this.manager = manager;
  }

  plan(targets: readonly DowngradeTarget[]) {
    return this.manager.planDowngrade(this.host, { targets, signal });
  }

  async begin(work: PatchWork): Promise<string> {
    this.#count += 1;
    const id = `downgrade-${this.#count}`;
    await this.runs.start(this.host, { id, ...work });
    return id;
  }

  async end(id: string): Promise<PatchOutcome & { log: string }> {
    const { log, state } = await follow(this.runs, this.host, id);
    if (state.kind !== 'ended') throw new Error(`the work ${state.kind}: ${log}`);
    const result = await this.runs.result(this.host, id);
    return { ...this.manager.outcome({ exitCode: state.exitCode, result }), log };
  }

  async apply(targets: readonly DowngradeTarget[], plan: readonly PackageChange[]) {
    return this.end(await this.begin(this.manager.downgrade({ targets, plan })));
  }
}

/** Builds and installs a package that needs the new demo-app, from no source. */
const NEEDS_NEW_APP = `mkdir -p /srv/needs/DEBIAN && cd /srv
printf '%s\\n' 'Package: demo-needs' 'Version: 1.0' 'Architecture: all' 'Maintainer: Demo <demo@fleet>' 'Depends: demo-app (>= 2.0)' 'Description: needs it' >needs/DEBIAN/control
dpkg-deb -Zgzip --root-owner-group -b needs needs.deb >&2 && dpkg -i needs.deb >&2`;
/** The same for dnf. */
const NEEDS_NEW_APP_RPM = `cat >/tmp/demo-needs.spec <<'END'
Name: demo-needs
Version: 1.0
Release: 1
Summary: demo
License: MIT
BuildArch: noarch
Requires: demo-app >= 2.0
%description
demo
%files
END
rpmbuild -bb --quiet --define '_rpmdir /srv/needs' /tmp/demo-needs.spec >&2 && rpm -i /srv/needs/noarch/demo-needs-1.0-1.noarch.rpm >&2`;
/** Offers demo-slow 1.0, which waits half configured, and installs 1.1, which does not. */
const SLOW = `mkdir -p /srv/slow/new/DEBIAN && cd /srv/slow
build() {
  printf '%s\\n' 'Package: demo-slow' "Version: $1" 'Architecture: all' 'Maintainer: Demo <demo@fleet>' 'Description: slow' >new/DEBIAN/control
  printf '%s\\n' '#!/bin/sh' "$2" >new/DEBIAN/postinst
  chmod 755 new/DEBIAN/postinst
  dpkg-deb -Zgzip --root-owner-group -b new "demo-slow_$1_all.deb" >&2
}
build 1.0 'touch /srv/slow/began; until [ -e /srv/slow/go ]; do sleep 0.1; done'
build 1.1 ':'
dpkg -i demo-slow_1.1_all.deb >&2
for file in *.deb; do
  dpkg-deb -f "$file"
  printf '%s\\n' "Filename: ./$file" "Size: $(stat -c %s "$file")" "SHA256: $(sha256sum "$file" | cut -d' ' -f1)" ''
done >Packages
echo 'deb [trusted=yes] file:/srv/slow ./' >/etc/apt/sources.list.d/slow.list
apt-get -q update >&2`;
/** Kills every process of the run "$1", as the kernel does if memory is short. */
const KILL_RUN = `for each in /proc/[0-9]*; do
  if tr '\\0' '\\n' 2>/dev/null <"$each/environ" | grep -qx "DROVER_RUN=.*/$1"; then kill -KILL "\${each#/proc/}" || :; fi
done`;

describeWith('fleet', 'a downgrade with apt', () => {
  const fleetHost = useHost();
  const system = { clock: new SystemClock(), randomness: new SystemRandomness() };
  const APP = down('demo-app', '2.0', '1.0');
  const KERNEL = down('demo-kernel', '1.1', '1.0');
  const LIB = down('demo-lib', '1.0+deb12u1', '1.0');
  const TARGETS = ['demo-app', 'demo-kernel', 'demo-lib'].map((name) => ({ name, version: '1.0' }));
  let hosts: SshRemoteHosts;
  let downgrades: Downgrades;
  beforeAll(() => {
    hosts = new SshRemoteHosts();
    return () => hosts.closeAll();
  });
  beforeEach(async () => {
    await fleetHost().reset();
    await hosts.closeAll();
    hosts = new SshRemoteHosts();
    const host = await hosts.connect(accessTo(fleetHost()));
    downgrades = new Downgrades(host, new AptPackageManager({ ...system, lockWaitMs: 60_000 }));
    await installDemo(fleetHost());
    await publish(fleetHost(), 'v2');
    await fleetHost().exec('apt-get -q update >&2; apt-get -q -y upgrade >&2');
  });
  const installed = () =>
    fleetHost().exec("dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n' 'demo-*' | sort");

  it('does exactly its plan, and keeps the marks of packages', async () => {
    await fleetHost().exec('apt-mark auto demo-lib');
    const before = await installed();
    const { changes, left } = await downgrades.plan(TARGETS);
    expect([changes, left]).toEqual([[APP, KERNEL, LIB], []]);
    expect(await installed()).toBe(before);
    const done = await downgrades.apply(TARGETS, changes);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, KERNEL, LIB], planNow: null });
    expect(await installed()).toBe(
      'demo-app 1.0 installed\ndemo-kernel 1.0 installed\ndemo-lib 1.0 installed\n',
    );
    expect(await fleetHost().exec('apt-mark showauto')).toContain('demo-lib');
    expect((await downgrades.plan(TARGETS)).left).toEqual(
      TARGETS.map((each) => ({ ...each, why: 'already' })),
    );
  });

  it('leaves what is held, gone or not installed, and says which', async () => {
    await fleetHost().exec('apt-mark hold demo-kernel');
    const targets = [
      ...TARGETS,
      { name: 'demo-lib', version: '0.9' },
      { name: 'demo-never', version: '1.0' },
    ];
    const { changes, left } = await downgrades.plan(targets);
    expect(changes).toEqual([APP, LIB]);
    expect(left).toEqual([
      { name: 'demo-kernel', version: '1.0', why: 'held' },
      { name: 'demo-lib', version: '0.9', why: 'gone' },
      { name: 'demo-never', version: '1.0', why: 'absent' },
    ]);
    const done = await downgrades.apply(targets, changes);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, LIB] });
    expect(await fleetHost().exec('apt-mark showhold')).toBe('demo-kernel\n');
  });

  it('finds a version that no source offers among the kept downloads', async () => {
    await fleetHost().exec(
      'cp /srv/apt/pool/stable/demo-app_1.0_all.deb /var/cache/apt/archives/; rm /etc/apt/sources.list.d/demo.list; apt-get -q update >&2',
    );
    const { changes, left } = await downgrades.plan(TARGETS);
    expect(changes).toEqual([APP]);
    expect(left.map(({ name, why }) => [name, why])).toEqual([
      ['demo-kernel', 'gone'],
      ['demo-lib', 'gone'],
    ]);
    const done = await downgrades.apply(TARGETS, changes);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP] });
  });

  it('shows in its plan what has to be removed for it', async () => {
    await fleetHost().exec(NEEDS_NEW_APP);
    const targets = [{ name: 'demo-app', version: '1.0' }];
    const { changes } = await downgrades.plan(targets);
    expect(changes).toEqual([APP, gone('demo-needs', '1.0')]);
    const done = await downgrades.apply(targets, changes);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, gone('demo-needs', '1.0')] });
  });

  it('has no plan if a held package would have to change', async () => {
    await fleetHost().exec(NEEDS_NEW_APP);
    await fleetHost().exec('apt-mark hold demo-needs');
    const planned = downgrades.plan([{ name: 'demo-app', version: '1.0' }]);
    await expect(planned).rejects.toMatchObject({ code: 'host_command_failed' });
  });

  it('changes nothing if the host is no longer as planned, and reports the new plan', async () => {
    const { changes } = await downgrades.plan(TARGETS);
    await fleetHost().exec('apt-get -q -y --allow-downgrades install demo-app=1.0 >&2');
    const before = await installed();
    expect(await downgrades.apply(TARGETS, changes)).toMatchObject({
      failure: { code: 'plan_drifted' },
      changes: [],
      planNow: [KERNEL, LIB],
    });
    expect(await installed()).toBe(before);
  });

  it('is completed and reported after it was killed in the middle', async () => {
    await fleetHost().exec(SLOW);
    const targets = [...TARGETS, { name: 'demo-slow', version: '1.0' }];
    const SLOWLY = down('demo-slow', '1.1', '1.0');
    const { changes } = await downgrades.plan(targets);
    expect(changes).toEqual([APP, KERNEL, LIB, SLOWLY]);
    const id = await downgrades.begin(downgrades.manager.downgrade({ targets, plan: changes }));
    await eventually('the package is half configured', 60_000, async () =>
      (await fleetHost().tryExec('test -e /srv/slow/began')).code === 0 ? true : undefined,
    );
    await fleetHost().exec(KILL_RUN, [id]);
    expect(await fleetHost().exec('dpkg --audit')).toContain('demo-slow');
    await fleetHost().exec('touch /srv/slow/go');
    const ended = await downgrades.end(await downgrades.begin(downgrades.manager.recovery(id)));
    expect(ended, ended.log).toMatchObject({ failure: null, guard: null });
    expect(ended.changes).toContainEqual(SLOWLY);
    expect(await fleetHost().exec('dpkg --audit')).toBe('');
    const rest = await downgrades.plan(targets);
    const done = await downgrades.apply(targets, rest.changes);
    expect(done.failure, done.log).toBeNull();
    expect(await installed()).toBe(
      'demo-app 1.0 installed\ndemo-kernel 1.0 installed\ndemo-lib 1.0 installed\ndemo-slow 1.0 installed\n',
    );
  });
});

describeWith(['fleet', 'families'], 'a downgrade with dnf', () => {
  const fleetHost = useHost();
  const kit = FAMILY_KITS.fedora;
  const NAMES = ['demo-app', 'demo-kernel', 'demo-lib', 'demo-more'];
  const TARGETS = NAMES.map((name) => ({ name, version: '1.0-1' }));
  const APP = down('demo-app', '2.0-1', '1.0-1');
  const KERNEL = down('demo-kernel', '1.1-1', '1.0-1');
  const LIB = down('demo-lib', '1.0-2', '1.0-1');
  const MORE = down('demo-more', '2.0-1', '1.0-1');
  let downgrades: Downgrades;
  // The tests go on from one another, as a host's life does.
  beforeAll(async () => {
    await fleetHost().reset();
    await becomeFamily(fleetHost(), 'fedora');
    await fleetHost().exec(kit.install, NAMES);
    await fleetHost().exec(kit.publish, ['v2']);
    await fleetHost().exec('dnf -y -q --refresh upgrade >/dev/null 2>&1');
    const hosts = new SshRemoteHosts();
    downgrades = new Downgrades(await hosts.connect(accessTo(fleetHost())), managerOf('fedora', 4_000));
    return () => hosts.closeAll();
  });
  const installed = () => fleetHost().exec(kit.installed);

  it('leaves what is held, gone or not installed, and says which', async () => {
    await fleetHost().exec(kit.hold, ['demo-kernel']);
    const before = await installed();
    const targets = [
      ...TARGETS,
      { name: 'demo-lib', version: '0.9-1' },
      { name: 'demo-never', version: '1.0-1' },
    ];
    const { changes, left } = await downgrades.plan(targets);
    expect(changes).toEqual([APP, LIB, MORE]);
    expect(left).toEqual([
      { name: 'demo-kernel', version: '1.0-1', why: 'held' },
      { name: 'demo-lib', version: '0.9-1', why: 'gone' },
      { name: 'demo-never', version: '1.0-1', why: 'absent' },
    ]);
    expect(await installed()).toBe(before);
  });

  it('changes nothing if the host is no longer as planned, and reports the new plan', async () => {
    const { changes } = await downgrades.plan(TARGETS);
    await fleetHost().exec(kit.release);
    const before = await installed();
    expect(await downgrades.apply(TARGETS, changes)).toMatchObject({
      failure: { code: 'plan_drifted' },
      changes: [],
      planNow: [APP, KERNEL, LIB, MORE],
    });
    expect(await installed()).toBe(before);
  });

  it('shows in its plan what has to be removed for it', async () => {
    await fleetHost().exec(NEEDS_NEW_APP_RPM);
    const targets = [{ name: 'demo-app', version: '1.0-1' }];
    const { changes } = await downgrades.plan(targets);
    expect(changes).toEqual([APP, gone('demo-needs', '1.0-1')]);
    const done = await downgrades.apply(targets, changes);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, gone('demo-needs', '1.0-1')] });
    await fleetHost().exec('dnf -y -q upgrade >/dev/null 2>&1');
  });

  it('does exactly its plan', async () => {
    const { changes, left } = await downgrades.plan(TARGETS);
    expect([changes, left]).toEqual([[APP, KERNEL, LIB, MORE], []]);
    const done = await downgrades.apply(TARGETS, changes);
    expect(done, done.log).toMatchObject({ failure: null, changes: [APP, KERNEL, LIB, MORE] });
    for (const name of NAMES) expect(await fleetHost().exec(kit.version, [name])).toBe('1.0-1');
    expect((await downgrades.plan(TARGETS)).left).toEqual(
      TARGETS.map((each) => ({ ...each, why: 'already' })),
    );
  });
});
