import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APK } from '../../../../../src/adapters/outbound/hosts/packages/apk/apk.ts';
import { PLAN_SHELL } from '../../../../../src/adapters/outbound/hosts/packages/patch/frame.ts';
import { REBOOT_SIGNS } from '../../../../../src/adapters/outbound/hosts/packages/reboot.ts';
import { refreshOutcome } from '../../../../../src/adapters/outbound/hosts/packages/refresh-outcome.ts';
import { DNF } from '../../../../../src/adapters/outbound/hosts/packages/rpm/dnf.ts';
import { ZYPPER } from '../../../../../src/adapters/outbound/hosts/packages/rpm/zypper.ts';
import type { Family } from '../../../../../src/adapters/outbound/hosts/packages/shell-package-manager.ts';
import { recording } from './recording.ts';

const run = promisify(execFile);

/** A host's programs are replaced by scripts that print recordings. */
let bin: string;
beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'drover-family-plans-'));
});
afterAll(() => rm(bin, { recursive: true }));

/** The scripts' result, line by line. The functions of a family look for programs in this order: dnf5, dnf, yum. */
async function shell(
  { shell: functions }: Family,
  programs: Readonly<Record<string, string>>,
  what: string,
  input = '',
): Promise<string[]> {
  const dir = await mkdtemp(join(bin, 'host-'));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  await writeFile(join(dir, 'log'), input);
  const script = `${PLAN_SHELL}${functions}\nrun=$PLACE\nsteps=$1\n${what}\n`;
  const env = { PATH: `${dir}:/usr/bin:/bin`, LC_ALL: 'C', PLACE: dir };
  const { stdout } = await run('sh', ['-c', script, 'sh', 'upgrade autoremove'], { env });
  return stdout.split('\n').filter((line) => line !== '');
}

const printing = (name: string): string => `cat <<'RECORDED'\n${recording(name)}\nRECORDED`;
const INSTALLED = ['demo-app', 'demo-kernel', 'demo-lib', 'demo-more', 'demo-old'].map(
  (name) => `${name} noarch 1.0-1`,
);
const RPM = `uname() { echo x86_64; }\ncat <<'END'\n${INSTALLED.join('\n')}\ngpg-pubkey (none) 1-1\nEND`;

describe('zypper, which upgrades itself first', () => {
  const zypper = 'echo run >>"$PLACE/runs"; exit 103';
  const told = 'tell() { echo "$@"; }';

  it.each([
    ['goes on with the rest', '-', 2],
    ['does no more than the plan, and says so', 'a-plan', 1],
  ])('%s', async (_what, wanted, runs) => {
    const what = `${told}\nwanted=${wanted}\npm_upgrade >"$run/said" || exit\nwc -l <"$run/runs"; grep ^note "$run/said"; :`;
    const [count, note] = await shell(ZYPPER, { zypper, rpm: RPM }, what);
    expect(Number(count)).toBe(runs);
    expect(note ?? '').toMatch(wanted === '-' ? /^$/ : /^note zypper itself was upgraded/);
  });
});

describe('A recorded plan', () => {
  it('of dnf5 is what its table says, with what its advisories name for security', async () => {
    const dnf5 = `case " $* " in
  *' updateinfo '*) echo 'DEMO-2026-1 security Important demo-lib-1.0-2.noarch 2026-01-01 00:00:00' ;;
  *' autoremove '*) ${printing('dnf5-autoremove-5.4.6')}
;;
  *) ${printing('dnf5-upgrade-5.4.6')}
;; esac`;
    expect(await shell(DNF, { dnf5, rpm: RPM }, 'simulate')).toEqual([
      'upgrade demo-app 1.0-1 2.0-1 0',
      'upgrade demo-kernel 1.0-1 1.1-1 0',
      'upgrade demo-lib 1.0-1 1.0-2 1',
      'upgrade demo-more 1.0-1 2.0-1 0',
      'install demo-new - 1.0-1 0',
      'remove demo-old 1.0-1 - 0',
    ]);
  });

  it('of dnf 4 has what a new package replaces, rows whole, and a kernel beside the old one', async () => {
    const rpm = `cat <<'END'
kernel-core noarch 6.1-1
demo-old noarch 1.0-1
a-package-with-a-really-long-name-that-makes-it-wrap-its-output-in-two noarch 1.0-1
END`;
    expect(await shell(DNF, { dnf: printing('dnf4-upgrade-4.14'), rpm }, 'pm_plan_upgrade')).toEqual([
      'remove demo-old 1.0-1 - 0',
      'install demo-new - 2.0-1 0',
      'install kernel-core - 6.2-1 0',
      'upgrade a-package-with-a-really-long-name-that-makes-it-wrap-its-output-in-two 1.0-1 1.20260101.git0123456789abcdef-1 0',
    ]);
  });

  it('of yum has rows whole that it broke, and names an architecture that is not the host’s', async () => {
    const rpm = `cat <<'END'
binutils i686 2.20.51.0.2-5.44.el6
libvirt-daemon-driver-storage-gluster i686 4.5.0-9.el7
perl i686 4:5.10.1-141.el6
glibc i686 2.12-1.192.el6
END`;
    const programs = { yum: printing('yum-update-el6'), rpm, uname: 'echo i686' };
    expect(await shell(DNF, programs, 'pm_plan_upgrade')).toEqual([
      'install gcc.x86_64 - 4.4.7-18.el6 0',
      'install binutils.x86_64 - 2.20.51.0.2-5.47.el6_9.1 0',
      'install libvirt-daemon-driver-storage-gluster.x86_64 - 4.5.0-10.el7_6.12 0',
      'install perl.x86_64 - 4:5.10.1-144.el6 0',
      'install cpp.x86_64 - 4.4.7-18.el6 0',
      'install glibc.x86_64 - 2.12-1.209.el6_9.2 0',
    ]);
    const native = { ...programs, uname: 'echo x86_64', rpm: rpm.replaceAll(' i686 ', ' x86_64 ') };
    expect(await shell(DNF, native, 'pm_plan_upgrade')).toContain(
      'upgrade perl 4:5.10.1-141.el6 4:5.10.1-144.el6 0',
    );
  });

  it('of apk is what it would upgrade, bring in and purge', async () => {
    expect(await shell(APK, { apk: printing('apk-upgrade-2.12') }, 'pm_plan_upgrade')).toEqual([
      'upgrade mobile-broadband-provider-info 20190618-r0 20201225-r0 0',
      'upgrade libelogind 243.4-r4 246.9.1-r1 0',
      'upgrade popt 1.16-r7 1.18-r0 0',
      'upgrade networkmanager-elogind 1.24.2-r0 1.26.4-r0 0',
      'upgrade networkmanager-elogind-openrc 1.24.2-r0 1.26.4-r0 0',
      'remove dhcpcd 8.1.6-r0 - 0',
      'upgrade gtk+2.0 2.24.32-r1 2.24.33-r0 0',
    ]);
  });

  it('is null, with the words of the package manager, if it has none', async () => {
    const broken = { dnf5: 'echo "Failed to resolve the transaction:"; exit 1', rpm: RPM };
    expect(await shell(DNF, broken, 'simulate || echo "code $?"')).toEqual([
      'Failed to resolve the transaction:',
      'code 1',
    ]);
  });
});

describe('A downgrade', () => {
  const rpm = `cat <<'END'
demo-app noarch 2.0-1
demo-lib x86_64 2:1.0-2
demo-lib i686 2:1.0-2
demo-needs noarch 1.0-1
END`;
  const TARGETS = 'demo-app=1.0-1 demo-lib=2:1.0-1 demo-lib.i686=2:1.0-1 demo-never=1-1 demo-needs=0.9-1';
  const plan = `steps=downgrade targets='${TARGETS}'\nsimulate || exit 0\nprintf '%s\\n' "$sorted"`;
  const programs = { rpm, uname: 'echo x86_64' };

  // The tables of dnf5 5.2 look like this; dnf 4 does it on a host in downgrade.fleet.test.ts.
  it('by dnf5 names its packages by what the sources offer, and has a plan with what goes', async () => {
    const dnf5 = `case " $* " in
  *' repoquery '*) printf '%s\\n' demo-app-0:1.0-1.noarch demo-app-0:2.0-1.noarch demo-lib-2:1.0-1.x86_64 demo-lib-2:1.0-1.i686 ;;
  *' downgrade --allowerasing demo-app-0:1.0-1.noarch demo-lib-2:1.0-1.x86_64 demo-lib-2:1.0-1.i686 '*) cat <<'END'
Package        Arch   Version Repository     Size
Removing:
 demo-needs    noarch 0:1.0-1 @System     0.0   B
Downgrading:
 demo-app      noarch 0:1.0-1 base       27.0   B
   replacing demo-app noarch 0:2.0-1 updates 27.0   B
 demo-lib      i686   2:1.0-1 base       27.0   B
   replacing demo-lib i686   2:1.0-2 updates 27.0   B
 demo-lib      x86_64 2:1.0-1 base       27.0   B
   replacing demo-lib x86_64 2:1.0-2 updates 27.0   B

Transaction Summary:
 Replacing:    3 packages
 Removing:     1 package
 Downgrading:  3 packages

Operation aborted by the user.
END
  ;;
esac`;
    expect(await shell(DNF, { ...programs, dnf5 }, plan)).toEqual([
      'remove demo-needs 1.0-1 - 0',
      'downgrade demo-app 2.0-1 1.0-1 0',
      'downgrade demo-lib.i686 2:1.0-2 2:1.0-1 0',
      'downgrade demo-lib 2:1.0-2 2:1.0-1 0',
      'word demo-app=1.0-1 demo-app-0:1.0-1.noarch',
      'word demo-lib=2:1.0-1 demo-lib-2:1.0-1.x86_64',
      'word demo-lib.i686=2:1.0-1 demo-lib-2:1.0-1.i686',
      'absent demo-never=1-1',
      'gone demo-needs=0.9-1',
    ]);
  });

  it('by yum has no plan', async () => {
    expect(await shell(DNF, { ...programs, yum: 'echo it ran' }, plan)).toEqual([
      expect.stringMatching(/^Error: .* yum\.$/),
    ]);
  });
});

describe('The signs of a reboot', () => {
  const signs =
    'has() { command -v "$1" >/dev/null 2>&1; }; limit() { shift; "$@"; }; in_container() { false; }';
  const look = (programs: Readonly<Record<string, string>>) =>
    shell(DNF, programs, `${REBOOT_SIGNS}\n${signs}\nreboot_signs`);

  it.each(['needs-restarting', 'dnf5'])(
    '%s tells where core libraries are newer than the boot',
    async (name) => {
      const yes = 'echo "Reboot is required to fully utilize these updates."; exit 1';
      expect(await look({ [name]: yes })).toContain('restarting');
      expect(await look({ [name]: 'echo "Reboot should not be necessary."' })).not.toContain('restarting');
      expect(await look({ [name]: 'echo "a fault" >&2; exit 1' })).not.toContain('restarting');
    },
  );
});

describe('What was recorded of an upgrade', () => {
  it('names the packages that apk could not process', async () => {
    const log = recording('apk-upgrade-2.12');
    expect(await shell(APK, { apk: '' }, 'pm_broken <"$run/log"', log)).toEqual(['failed gtk+2.0']);
    expect(await shell(APK, { apk: '' }, 'pm_began <"$run/log" && echo began', log)).toEqual(['began']);
  });

  it('names the packages whose scripts failed under rpm', async () => {
    const log = `  Running scriptlet: demo-broken-1.1-1.noarch                               1/2
error: %pre(demo-broken-1.1-1.noarch) scriptlet failed, exit status 1
Error in PREIN scriptlet in rpm package demo-broken
error: demo-broken-1.1-1.noarch: install failed
`;
    const named = await shell(DNF, { dnf5: '', rpm: RPM }, 'pm_broken <"$run/log" | sort -u', log);
    expect(named).toContain('failed demo-broken');
  });

  it('names the source that dnf5 could not refresh', async () => {
    const refresh = recording('dnf5-refresh-dead-5.4.6');
    const dnf5 = `case " $* " in *' repolist '*) printf 'repo id  repo name\\nbase b\\ndead d\\n' ;; *) ${printing('dnf5-refresh-dead-5.4.6')}
;; esac`;
    const lines = await shell(DNF, { dnf5, rpm: RPM }, 'pm_refresh || echo "code $?"');
    expect(lines).toEqual([...refresh.split('\n').filter((line) => line !== ''), 'code 1']);
    expect(refreshOutcome(DNF, 14, lines)).toEqual([
      'A package source failed: dead: it could not be refreshed.',
    ]);
  });

  it('has no secret of a source in its texts', () => {
    const line = "Error: Failed to download metadata for repo 'x': http://me:s3cret@mirror.example/x is gone";
    expect(() => refreshOutcome(DNF, 14, [line, 'No package source could be refreshed.'])).toThrow(
      /x: http:\/\/mirror\.example\/x is gone/,
    );
    expect(refreshOutcome(DNF, 14, [line]).join(' ')).not.toContain('s3cret');
  });
});
