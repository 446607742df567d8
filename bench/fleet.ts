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
import { Drover } from './fleet/drover.ts';
import { type Measured, median } from './fleet/measured.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';

const SIZES = [10, 50];
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const AT_ONCE = 8;

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
    for (const size of SIZES) {
      const hosts = fleet.hosts.slice(0, size);
      rows.push(...(await compare('facts', hosts, drover, ansible)));
      rows.push(...(await compare('check', hosts, drover, ansible)));
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

/**
 * In turns, so that what the machine does besides falls on both; one round before that counts for nothing (warm). Drover is
 * asked twice: after something changed that updates are worked out by, and with nothing changed since it looked last.
 * Ansible remembers nothing, and is asked once.
 */
async function compare(
  what: 'facts' | 'check',
  hosts: readonly FleetHost[],
  drover: Drover,
  ansible: Ansible,
): Promise<Row[]> {
  const [changed, same, theirs]: Measured[][] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    await Promise.all(hosts.map((host) => host.exec('touch /var/lib/dpkg/status')));
    const measured = [
      await drover[what](hosts),
      await drover[what](hosts),
      await ansible[what](hosts),
    ] as const;
    if (round === 0) continue;
    changed?.push(measured[0]);
    same?.push(measured[1]);
    theirs?.push(measured[2]);
  }
  const ansibles = median(theirs ?? []);
  const row = (who: string, { wall, cpu }: Measured): Row => ({
    what,
    hosts: hosts.length,
    who,
    'wall s': round2(wall),
    'processor s': round2(cpu),
    'times faster': round2(ansibles.wall / wall),
    'times less processor': round2(ansibles.cpu / cpu),
  });
  return [
    row('Drover, packages changed', median(changed ?? [])),
    row('Drover, nothing changed', median(same ?? [])),
    row('Ansible', ansibles),
  ];
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
