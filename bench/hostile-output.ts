// How long /healthz takes while a host floods the service: hosts that answer its inventory with megabytes that parsers choke on.
import { createHash } from 'node:crypto';
import { HOSTILE_SHAPES } from '../test/support/hostile-output.ts';
import { PageClient } from '../test/support/page-client.ts';
import { recordedAnswer } from '../test/support/recorded-debian.ts';
import { Service } from '../test/support/service.ts';
import { SimulatedSshd } from '../test/support/simulated-sshd.ts';
import { type Row, report } from './lib/report.ts';

const LIMIT_MS = 200;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const PERSON = { name: 'bench', password: 'quilt-harbor-ninety-violin' };
const MIB = 1024 * 1024;
/** The first is within the limit of an answer, so that it is parsed; the other is cut. */
const SIZES = [8 * MIB, 16 * MIB];

let flood: string | null = null;
const answer = (_script: string, [mark = '']: readonly string[]): string | undefined =>
  flood === null
    ? undefined
    : `\n${mark} begin disks\next4 /dev/vda1 ${flood}\n${mark} end 0\n${recordedAnswer('facts', [mark])}`;

async function timed(url: string): Promise<number> {
  const began = performance.now();
  const reply = await fetch(`${url}/healthz`);
  await reply.arrayBuffer();
  return performance.now() - began;
}

/** Milliseconds that `/healthz` took while the work went on. */
async function during(url: string, work: Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = [];
  const over = new AbortController();
  const watched = work.finally(() => {
    over.abort();
  });
  while (!over.signal.aborted) waits.push(await timed(url));
  await watched;
  return waits;
}

const rounded = (value: number | undefined): number => Math.round((value ?? 0) * 10) / 10;

const sshd = await SimulatedSshd.start(0, (script, args) =>
  script.includes('$HOME') && !script.includes('at_once facts ') ? '' : answer(script, args),
);
const service = await Service.start();
const rows: Row[] = [];
try {
  await PageClient.setUp(service.url, service.process.stdout, PERSON);
  const page = await PageClient.signIn(service.url, PERSON);
  await service.cli(['key', 'create', 'k']);
  const { hostname, ssh_port, host_key_blob } = sshd.host;
  const digest = createHash('sha256').update(Buffer.from(host_key_blob, 'base64')).digest('base64');
  const address = ['--host', hostname, '--port', String(ssh_port), '--key', 'k'];
  await service.cli([
    'server',
    'add',
    'evil',
    ...address,
    '--host-key',
    `SHA256:${digest.replaceAll('=', '')}`,
  ]);
  for (const [shape, make] of Object.entries(HOSTILE_SHAPES)) {
    for (const bytes of SIZES) {
      flood = make(bytes);
      const waits: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        waits.push(...(await during(service.url, page.post(`${service.url}/servers/2/check`))));
      }
      const sorted = waits.toSorted((one, other) => one - other);
      const at = (share: number): number => rounded(sorted[Math.floor(share * (sorted.length - 1))]);
      rows.push({
        output: shape,
        MiB: bytes / MIB,
        probes: sorted.length,
        '/healthz median ms': at(0.5),
        '/healthz p99 ms': at(0.99),
        '/healthz max ms': at(1),
        'limit ms': LIMIT_MS,
      });
    }
  }
} finally {
  sshd.stop();
  await service.remove();
}
report('hostile-output', rows, { rounds: ROUNDS });
if (rows.some((row) => Number(row['/healthz max ms']) > LIMIT_MS)) process.exitCode = 1;
