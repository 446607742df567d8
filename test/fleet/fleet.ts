import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ensureBaseRoot } from '../../scripts/lib/base-root.mjs';
import { ensureDockerLayer } from '../../scripts/lib/docker-layer.mjs';
import { ensurePodmanLayer } from '../../scripts/lib/podman-layer.mjs';
import { capture, must } from '../../scripts/lib/programs.mjs';
import { buildAptRepositories } from './apt-repo.ts';
import { FleetHost, type PowerSwitch } from './host.ts';
import { HostRecord } from './host-record.ts';
import { makeKey, writeCommonLayer, writeEngineLayer, writeIdentityLayer } from './layers.ts';
import { type Bridge, closeBridge, openBridge, orphanedFleets } from './network.ts';
import { powerOff, powerOn, wipe } from './power.ts';

export interface Fleet {
  readonly hosts: readonly FleetHost[];
  stop(): Promise<void>;
}

interface FleetOptions {
  readonly hosts: number;
  /** Lives on when this process ends, until it is stopped by hand. */
  readonly stays?: boolean;
  /** With Compose and separate registries. */
  readonly engine?: Engine;
}

type Engine = HostRecord['engine'];

const ENGINE_LAYERS: Readonly<Record<Engine, () => Promise<readonly string[]>>> = {
  none: async () => [],
  docker: async () => [await ensureDockerLayer()],
  podman: async () => [await ensurePodmanLayer()],
};

/**
 * Starts real hosts on a bridge in this process's network namespace. Needs root. The base root is made when
 * it is missing; after that, three hosts take about a second.
 */
export async function startFleet({
  hosts: count,
  stays = false,
  engine = 'none',
}: FleetOptions): Promise<Fleet> {
  for (const { dir, bridge } of await orphanedFleets()) await stopFleet(dir, bridge, []);
  const lowers = [...(await ENGINE_LAYERS[engine]()), await ensureBaseRoot()];
  const dir = await mkdtemp(join(tmpdir(), 'drover-fleet-'));
  const records: HostRecord[] = [];
  let bridge: Bridge | undefined;
  const stop = () => stopFleet(dir, bridge?.name, records);
  try {
    // In memory: an overlay's upper directory must not itself be on an overlay, and this is fast to wipe.
    await must('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'drover-fleet', dir]);
    bridge = await openBridge(dir, stays);
    records.push(...(await prepareHosts(dir, { lowers, engine }, bridge, count)));
    await writeFile(recordsFile(dir), JSON.stringify(records), { mode: 0o600 });
    await Promise.all(records.map((record) => powerOn(record, stays)));
    return { hosts: records.map((record) => new FleetHost(record, ownPower(stays))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends a fleet by its directory and bridge, whichever process started it. */
export async function stopFleet(
  dir: string,
  bridge: string | undefined,
  hosts: readonly HostRecord[],
): Promise<void> {
  await Promise.all(hosts.map(powerOff));
  if (bridge) await closeBridge(bridge);
  await capture('umount', ['--lazy', dir]);
  await rm(dir, { recursive: true, force: true });
}

/** The hosts of a fleet that another process started. */
export async function readRecords(dir: string): Promise<HostRecord[]> {
  return z.array(HostRecord).parse(JSON.parse(await readFile(recordsFile(dir), 'utf8')));
}

/** The switch for the process that started the fleet. */
export function ownPower(stays: boolean): PowerSwitch {
  return {
    on: (host) => powerOn(host, stays),
    reset: async (host) => {
      await powerOff(host);
      await wipe(host);
      await powerOn(host, stays);
    },
  };
}

async function prepareHosts(
  dir: string,
  { lowers, engine }: { lowers: readonly string[]; engine: Engine },
  bridge: Bridge,
  count: number,
): Promise<HostRecord[]> {
  const common = join(dir, 'common');
  const aptRepositories = join(dir, 'apt');
  const privateKeyFile = join(dir, 'id_ed25519');
  await makeKey(privateKeyFile, 'drover-fleet');
  await writeCommonLayer(common, await readFile(`${privateKeyFile}.pub`, 'utf8'));
  await buildAptRepositories(aptRepositories, common);
  await writeEngineLayer(common, engine);
  const privateKey = await readFile(privateKeyFile, 'utf8');
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const name = `h${index + 1}`;
      const hostDir = join(dir, name);
      const identity = join(hostDir, 'identity');
      await mkdir(identity, { recursive: true });
      return {
        name,
        address: bridge.addressOf(index),
        port: 22 as const,
        gateway: bridge.gateway,
        bridge: bridge.name,
        link: `${bridge.name}${name}`,
        mac: macOf(index),
        dir: hostDir,
        lowers: [identity, common, ...lowers],
        hostKey: await writeIdentityLayer(identity, name),
        privateKey,
        privateKeyFile,
        aptRepositories,
        engine,
      };
    }),
  );
}

/** From the locally administered range. */
function macOf(index: number): string {
  const [high, low] = [index >> 8, index & 255].map((byte) => byte.toString(16).padStart(2, '0'));
  return `02:64:72:76:${high}:${low}`;
}

function recordsFile(dir: string): string {
  return join(dir, 'fleet.json');
}
