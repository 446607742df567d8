import { probeCapabilities } from '../../scripts/lib/capabilities.mjs';
import { readRecords, startFleet, stopFleet } from './fleet.ts';
import type { HostRecord } from './host-record.ts';
import { notedFleets } from './network.ts';
import { findHostProcess } from './power.ts';

const USAGE = 'usage: npm run fleet -- up N | status | down';
const MOST_HOSTS = 200;

/** Test hosts that stay, to try things on by hand. */
async function main([verb, count]: string[]): Promise<number> {
  if (verb === 'status') return status();
  if (verb === 'down') return down();
  const hosts = Number(count);
  if (verb !== 'up' || !Number.isInteger(hosts) || hosts < 1 || hosts > MOST_HOSTS) return fail(USAGE, 2);
  return up(hosts);
}

async function up(count: number): Promise<number> {
  const { fleet: able } = await probeCapabilities();
  if (able !== true) return fail(`a fleet ${able}`, 1);
  if ((await handMade()).length > 0) return fail('a fleet is up: npm run fleet -- status, or down', 1);
  await startFleet({ hosts: count, stays: true });
  return status();
}

async function status(): Promise<number> {
  const fleets = await handMade();
  if (fleets.length === 0) console.log('No fleet is up.');
  for (const { dir } of fleets) {
    for (const record of await readRecords(dir)) {
      const on = (await findHostProcess(record)) !== undefined;
      for (const line of describeHost(record, on)) console.log(line);
    }
  }
  return 0;
}

async function down(): Promise<number> {
  for (const { dir, bridge } of await handMade()) {
    await stopFleet(dir, bridge, await readRecords(dir));
  }
  return 0;
}

async function handMade() {
  return (await notedFleets()).filter(({ owner }) => owner === null);
}

/** What a person needs to sign in to the host, or to add it as a server. */
function describeHost(host: HostRecord, on: boolean): string[] {
  return [
    `${host.name} ${host.address} ${on ? 'on' : 'OFF'}`,
    `  address ${host.address}, port ${host.port}, user root (or drover, who has sudo)`,
    `  key file ${host.privateKeyFile}`,
    `  host key ${host.hostKey.algorithm} ${host.hostKey.fingerprint}`,
    `  ssh -i ${host.privateKeyFile} root@${host.address}`,
  ];
}

function fail(message: string, code: number): number {
  console.error(message);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
