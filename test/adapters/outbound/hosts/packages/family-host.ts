import { packageManagers } from '../../../../../src/adapters/outbound/hosts/packages/package-managers.ts';
import { SystemClock } from '../../../../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { PackageManager } from '../../../../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost, RemoteHosts } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { PackageManagerSubject } from '../../../../contracts/package-manager.contract.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import { becomeFamily, FAMILY_KITS, type FamilyName } from '../../../../fleet/families.ts';
import type { FleetHost } from '../../../../fleet/host.ts';

const DEMO = ['demo-app', 'demo-lib', 'demo-kernel'];
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

export function managerOf(family: FamilyName, lockWaitMs?: number): PackageManager {
  const system = { clock: new SystemClock(), randomness: new SystemRandomness() };
  const managers = packageManagers(lockWaitMs === undefined ? system : { ...system, lockWaitMs });
  const manager = managers.find(family);
  if (!manager) throw new Error(`there is no package manager of ${family}`);
  return manager;
}

/** Sets up a real host of another family with separate repositories. */
export async function familySubject(
  family: FamilyName,
  fleetHost: FleetHost,
  hosts: RemoteHosts,
  host: RemoteHost,
): Promise<PackageManagerSubject> {
  const kit = FAMILY_KITS[family];
  await becomeFamily(fleetHost, family);
  await fleetHost.exec(kit.install, DEMO);
  await fleetHost.exec(kit.saveSources);
  let stalling: string | null = null;
  return {
    manager: managerOf(family),
    impatient: managerOf(family, 500),
    versions: { old: '1.0-1', app: '2.0-1', lib: '1.0-2', kernel: '1.1-1' },
    knowsSecurity: family === 'fedora',
    host,
    gone: new FakeHost('gone').unreachable().session(),
    reset: async () => {
      if (stalling !== null) await fleetHost.exec('kill "$1"', [stalling]);
      stalling = null;
      await fleetHost.exec(kit.restoreSources);
      await fleetHost.exec(kit.release);
      await fleetHost.exec('rm -f /run/reboot-required*');
      await fleetHost.exec(kit.publish, ['v1']);
    },
    publish: async () => void (await fleetHost.exec(kit.publish, ['v2'])),
    hold: async (name) => void (await fleetHost.exec(kit.hold, [name])),
    askForReboot: async () => void (await fleetHost.exec('touch /run/reboot-required')),
    addDeadSource: async () =>
      void (await fleetHost.exec(kit.addSource, ['dead', 'http://127.0.0.1:9/dead'])),
    killSources: async () => void (await fleetHost.exec(kit.killSources)),
    addStalledSource: async () => {
      stalling = (await fleetHost.exec(STALL)).trim();
      await fleetHost.exec(kit.addSource, ['stalled', 'http://127.0.0.1:8/stalled']);
    },
    isRunning: async () => (await fleetHost.tryExec(kit.isRunning)).code === 0,
    lock: async () => {
      const pid = (await fleetHost.exec(kit.lock)).trim();
      return async () => void (await fleetHost.exec(kit.unlock, [pid]));
    },
    installed: () => fleetHost.exec(kit.installed),
    close: () => hosts.closeAll(),
  };
}
