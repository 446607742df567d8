// Facts and update checks of many real sshd hosts, next to Ansible, in one run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBaseRoot } from '../scripts/lib/base-root.mjs';
import { buildLayer } from '../scripts/lib/family-layers.mjs';
import { installDemo, publish } from '../test/fleet/apt-repo.ts';
import { unpack } from '../test/fleet/families.ts';
import { startFleet } from '../test/fleet/fleet.ts';
import type { FleetHost } from '../test/fleet/host.ts';
import { Ansible } from './fleet/ansible.ts';
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
  await someAtOnce(fleet.hosts, async (host) => {
    await unpack(host, join(layers, 'python.tar'));
    await installDemo(host);
    await publish(host, 'v2');
  });
  const ansible = await Ansible.prepare(fleet.hosts);
  const drover = await Drover.prepare(fleet.hosts);
  try {
    peer = await ansible.version();
    await drover.warmUp(fleet.hosts);
    for (const size of SIZES) {
      const hosts = fleet.hosts.slice(0, size);
      rows.push(...(await compareFacts(hosts, drover, ansible)));
      rows.push(...(await compareChecks(hosts, drover, ansible)));
    }
  } finally {
    await drover.stop();
    await ansible.stop(fleet.hosts);
  }
} finally {
  await fleet.stop();
  await rm(layers, { recursive: true, force: true });
}
report('fleet', rows, { peer, rounds: ROUNDS });

type Work = () => Promise<Measured>;

/**
 * Drover always tells what waits, too. Where nothing has changed it knows that already, and is compared with facts alone, which
 * is less; after a change it has to work it out, as Ansible then does.
 */
async function compareFacts(
  hosts: readonly FleetHost[],
  drover: Drover,
  ansible: Ansible,
): Promise<readonly Row[]> {
  const [changed, same, facts, updates, alone] = await inTurns(
    hosts,
    () => drover.facts(hosts),
    () => drover.facts(hosts),
    () => ansible.facts(hosts),
    () => ansible.updates(hosts),
    () => hostsAlone(hosts, SIMULATE, JOBS_AT_ONCE),
  );
  return [
    ...rowsOf('facts', hosts, facts, { 'Drover, nothing changed': same }),
    ...rowsOf('facts and pending updates', hosts, updates, { 'Drover, packages changed': changed }, alone),
  ];
}

/** Ansible remembers nothing and is asked once a round. */
async function compareChecks(
  hosts: readonly FleetHost[],
  drover: Drover,
  ansible: Ansible,
): Promise<readonly Row[]> {
  const [changed, same, theirs, alone] = await inTurns(
    hosts,
    () => drover.check(hosts),
    () => drover.check(hosts),
    () => ansible.check(hosts),
    () => hostsAlone(hosts, REFRESH, JOBS_AT_ONCE),
  );
  const ours = { 'Drover, packages changed': changed, 'Drover, nothing changed': same };
  return rowsOf('update check', hosts, theirs, ours, alone);
}

/**
 * The medians, in turns, so that what the machine does besides falls on all; one round before that counts for nothing (warm).
 * Something changes before each round that updates are worked out by.
 */
async function inTurns<Works extends readonly Work[]>(
  hosts: readonly FleetHost[],
  ...works: Works
): Promise<{ [Index in keyof Works]: Measured }> {
  const measured: Measured[][] = works.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    await Promise.all(hosts.map((host) => host.exec('touch /var/lib/dpkg/status')));
    for (const [index, work] of works.entries()) {
      const found = await work();
      if (round > 0) measured[index]?.push(found);
    }
  }
  return measured.map(median) as { [Index in keyof Works]: Measured };
}

function rowsOf(
  what: string,
  hosts: readonly FleetHost[],
  ansible: Measured,
  ours: Readonly<Record<string, Measured>>,
  alone?: Measured,
): readonly Row[] {
  const row = (who: string, { wall, cpu }: Measured): Row => ({
    what,
    hosts: hosts.length,
    who,
    'wall s': round2(wall),
    'processor s': round2(cpu),
    'times faster': round2(ansible.wall / wall),
    'times less processor': round2(ansible.cpu / cpu),
  });
  const asked = Object.entries({ ...ours, Ansible: ansible }).map(([who, measured]) => row(who, measured));
  if (!alone) return asked;
  // whose processor time is that of the hosts, and another thing
  const ofHosts = { 'processor s': `${round2(alone.cpu)} on hosts`, 'times less processor': '' };
  return [...asked, { ...row(HOSTS_ALONE, alone), ...ofHosts }];
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
