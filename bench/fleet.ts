// Facts and update checks of many real sshd hosts, next to Ansible, in one run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBaseRoot } from '../scripts/lib/base-root.mjs';
import { buildLayer } from '../scripts/lib/family-layers.mjs';
import { AptMirror } from '../test/fleet/apt-mirror.ts';
import { DEMO_SOURCES, installDemo } from '../test/fleet/apt-repo.ts';
import { unpack } from '../test/fleet/families.ts';
import { startFleet } from '../test/fleet/fleet.ts';
import type { FleetHost } from '../test/fleet/host.ts';
import { Ansible } from './fleet/ansible.ts';
import { type Change, NOTHING, newSources, PACKAGES } from './fleet/changes.ts';
import { Drover, AT_ONCE as JOBS_AT_ONCE } from './fleet/drover.ts';
import { hostsAlone, REFRESH, SIMULATE } from './fleet/hosts.ts';
import { type Measured, median } from './fleet/measured.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';

const SIZES = [10, 50];
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const AT_ONCE = 8;
const HOSTS_ALONE = "the hosts' apt alone";

needs({ root: true });

// Ansible wants a whole Python on its hosts; Drover a shell.
const layers = await mkdtemp(join(tmpdir(), 'drover-bench-'));
await buildLayer(layers, await ensureBaseRoot(), 'python', ['python3']);
const fleet = await startFleet({ hosts: Math.max(...SIZES) });
const rows: Row[] = [];
let peer = '';
try {
  const [first] = fleet.hosts;
  if (!first) throw new Error('there are no hosts');
  const mirror = await AptMirror.start(first);
  await someAtOnce(fleet.hosts, async (host) => {
    await unpack(host, join(layers, 'python.tar'));
    await installDemo(host);
    await host.writeFile(DEMO_SOURCES, mirror.sources);
  });
  mirror.publish('v2');
  const ansible = await Ansible.prepare(fleet.hosts);
  const drover = await Drover.prepare(fleet.hosts);
  try {
    peer = await ansible.version();
    await drover.warmUp(fleet.hosts);
    for (const size of SIZES) {
      const hosts = fleet.hosts.slice(0, size);
      // apt keeps a file's old time if it is downloaded again with the same content, and then requests it each time
      mirror.publish('v3');
      rows.push(...(await compareFacts(hosts, drover, ansible)));
      rows.push(...(await compareChecks(hosts, mirror, drover, ansible)));
    }
  } finally {
    await drover.stop();
    await ansible.stop(fleet.hosts);
    await mirror.stop();
  }
} finally {
  await fleet.stop();
  await rm(layers, { recursive: true, force: true });
}
report('fleet', rows, { peer, rounds: ROUNDS });

/**
 * Drover reports pending updates with the facts; if nothing has changed it knows them already, else it computes them.
 */
async function compareFacts(
  hosts: readonly FleetHost[],
  drover: Drover,
  ansible: Ansible,
): Promise<readonly Row[]> {
  return [
    ...(await compare('facts', NOTHING, hosts, {
      Drover: () => drover.facts(hosts),
      Ansible: () => ansible.facts(hosts),
    })),
    ...(await compare('facts and pending updates', PACKAGES, hosts, {
      Drover: () => drover.facts(hosts),
      Ansible: () => ansible.updates(hosts),
      [HOSTS_ALONE]: () => hostsAlone(hosts, SIMULATE, JOBS_AT_ONCE),
    })),
  ];
}

/** Pending updates according to the sources' current offers: both sides ask each source for anything newer. */
async function compareChecks(
  hosts: readonly FleetHost[],
  mirror: AptMirror,
  drover: Drover,
  ansible: Ansible,
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const change of [NOTHING, PACKAGES, newSources(mirror)]) {
    const works = {
      Drover: () => drover.check(hosts),
      Ansible: () => ansible.check(hosts),
      [HOSTS_ALONE]: () => hostsAlone(hosts, REFRESH, JOBS_AT_ONCE),
    };
    found.push(...(await compare('update check', change, hosts, works)));
  }
  return found;
}

/**
 * The medians, in turns, so that other load affects all; one warm-up round does not count. The same change comes
 * before each.
 */
async function compare(
  what: string,
  change: Change,
  hosts: readonly FleetHost[],
  works: Readonly<Record<string, () => Promise<Measured>>>,
): Promise<readonly Row[]> {
  const measured = new Map(Object.keys(works).map((who) => [who, [] as Measured[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [who, work] of Object.entries(works)) {
      await change.make(hosts);
      const found = await work();
      if (round > 0) measured.get(who)?.push(found);
    }
  }
  const { Ansible: ansible, ...others } = Object.fromEntries(
    Array.from(measured, ([who, runs]) => [who, median(runs)]),
  );
  if (!ansible) throw new Error('nothing to compare with');
  return rowsOf(what, change, hosts, ansible, others);
}

function rowsOf(
  what: string,
  change: Change,
  hosts: readonly FleetHost[],
  ansible: Measured,
  others: Readonly<Record<string, Measured>>,
): readonly Row[] {
  return Object.entries({ ...others, Ansible: ansible }).map(([who, { wall, cpu }]) => {
    const row = { what, since: change.name, hosts: hosts.length, who, 'wall s': round2(wall) };
    const faster = round2(ansible.wall / wall);
    // whose processor time is that of the hosts, and is measured separately
    if (who === HOSTS_ALONE) {
      const ofHosts = `${round2(cpu)} on hosts`;
      return { ...row, 'processor s': ofHosts, 'times faster': faster, 'times less processor': '' };
    }
    const less = round2(ansible.cpu / cpu);
    return { ...row, 'processor s': round2(cpu), 'times faster': faster, 'times less processor': less };
  });
}

async function someAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const takeOne = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeOne));
}

function round2(value: number): number {
  return Number(value.toFixed(2));
}
