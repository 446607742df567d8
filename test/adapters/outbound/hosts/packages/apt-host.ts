import { AptPackageManager } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { SystemClock } from '../../../../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { RemoteHost, RemoteHosts } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { PackageManagerSubject } from '../../../../contracts/package-manager.contract.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import { DEMO_SOURCES, installDemo, publish } from '../../../../fleet/apt-repo.ts';
import type { FleetHost } from '../../../../fleet/host.ts';

const DEAD = 'deb http://127.0.0.1:9/dead stable main';

/** Tries of a dead address pause for seconds; the product's own settings count for all else. */
const QUICK_TO_GIVE_UP = 'Acquire::Retries::Delay "false";\n';

const HOLD_LOCK = `setsid python3 -c '
import fcntl, time
lock = open("/var/lib/apt/lists/lock", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
open("/run/locked", "w").close()
time.sleep(120)
' >/dev/null 2>&1 </dev/null &
echo $!
until [ -e /run/locked ]; do sleep 0.02; done
rm /run/locked`;

const STALLED = 'deb http://127.0.0.1:8/stalled stable main';
const STALL = `setsid python3 -c '
import socket
server = socket.create_server(("127.0.0.1", 8))
open("/run/stalling", "w").close()
taken = []
while True: taken.append(server.accept())
' >/dev/null 2>&1 </dev/null &
echo $!
until [ -e /run/stalling ]; do sleep 0.02; done
rm /run/stalling`;

/** Sets up a real host with a separate apt repository. */
export async function aptSubject(
  fleetHost: FleetHost,
  hosts: RemoteHosts,
  host: RemoteHost,
): Promise<PackageManagerSubject> {
  await installDemo(fleetHost);
  await fleetHost.writeFile('/etc/apt/apt.conf.d/99quick', QUICK_TO_GIVE_UP);
  const sources = await fleetHost.readFile(DEMO_SOURCES);
  let stalling: string | null = null;
  const system = { clock: new SystemClock(), randomness: new SystemRandomness(), lockRetryMs: 100 };
  return {
    manager: new AptPackageManager(system),
    versions: { old: '1.0', app: '2.0', lib: '1.0+deb12u1', kernel: '1.1' },
    knowsSecurity: true,
    impatient: new AptPackageManager({ ...system, lockWaitMs: 500 }),
    host,
    gone: new FakeHost('gone').unreachable().session(),
    reset: async () => {
      if (stalling !== null) await fleetHost.exec('kill "$1"', [stalling]);
      stalling = null;
      await fleetHost.writeFile(DEMO_SOURCES, sources);
      await fleetHost.exec('apt-mark unhold demo-app demo-lib demo-kernel; rm -f /run/reboot-required*');
      await publish(fleetHost, 'v1');
    },
    publish: () => publish(fleetHost, 'v2'),
    hold: async (name) => void (await fleetHost.exec('apt-mark hold "$1"', [name])),
    askForReboot: async () => void (await fleetHost.exec('touch /run/reboot-required')),
    addDeadSource: () => fleetHost.writeFile(DEMO_SOURCES, `${sources}${DEAD}\n`),
    killSources: () => fleetHost.writeFile(DEMO_SOURCES, `${DEAD}\n`),
    addStalledSource: async () => {
      stalling = (await fleetHost.exec(STALL)).trim();
      await fleetHost.writeFile(DEMO_SOURCES, `${sources}${STALLED}\n`);
    },
    isRunning: async () => (await fleetHost.tryExec('pgrep -x apt-get')).code === 0,
    lock: async () => {
      const pid = (await fleetHost.exec(HOLD_LOCK)).trim();
      return async () => void (await fleetHost.exec('kill "$1"', [pid]));
    },
    // and apt's record of its origin: a simulation would overwrite that with its own plan
    installed: () =>
      fleetHost.exec(
        "dpkg-query -W -f '${Package} ${Version} ${Status}\\n' | sort; sha256sum </var/log/apt/eipp.log.xz",
      ),
    close: () => hosts.closeAll(),
  };
}
