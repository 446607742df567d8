import { probeCapabilities } from '../../scripts/lib/capabilities.mjs';
import { installDemo, publish } from './apt-repo.ts';
import { ownPower, readRecords, startFleet, stopFleet } from './fleet.ts';
import { FleetHost } from './host.ts';
import type { HostRecord } from './host-record.ts';
import { type NotedFleet, notedFleets } from './network.ts';
import { findHostProcess } from './power.ts';

const USAGE = `usage: npm run fleet -- up N      start N hosts that stay
       npm run fleet -- status    how to reach them
       npm run fleet -- updates   give each of them packages with updates pending
       npm run fleet -- down      remove them`;
const MAX_HOSTS = 200;

const VERBS: Record<string, (count: string | undefined) => Promise<number>> = { up, status, updates, down };

async function main([verb = '', count]: string[]): Promise<number> {
  const act = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  return act ? act(count) : fail(USAGE, 2);
}

async function up(count: string | undefined): Promise<number> {
  const hosts = Number(count);
  if (!Number.isInteger(hosts) || hosts < 1 || hosts > MAX_HOSTS) return fail(USAGE, 2);
  const { fleet: able } = await probeCapabilities();
  if (able !== true) return fail(`a fleet ${able}`, 1);
  if ((await handMade()).length > 0) return fail('a fleet is up: npm run fleet -- status, or down', 1);
  await startFleet({ hosts, stays: true });
  return status();
}

async function status(): Promise<number> {
  const records = await hostRecords();
  const [first] = records;
  if (!first) console.log('No fleet is up.');
  else console.log(`npx drover key import fleet ${first.privateKeyFile}`);
  for (const record of records) {
    const on = (await findHostProcess(record)) !== undefined;
    for (const line of describeHost(record, on)) console.log(line);
  }
  return 0;
}

async function updates(): Promise<number> {
  for (const record of await hostRecords()) {
    const host = new FleetHost(record, ownPower(true));
    await installDemo(host);
    await publish(host, 'v2');
    console.log(`${host.name}: demo-app, demo-lib and demo-kernel have updates`);
  }
  return 0;
}

async function down(): Promise<number> {
  for (const { dir, bridge } of await handMade()) await stopFleet(dir, bridge, await readRecords(dir));
  return 0;
}

async function handMade(): Promise<NotedFleet[]> {
  return (await notedFleets()).filter(({ owner }) => owner === null);
}

async function hostRecords(): Promise<HostRecord[]> {
  return (await Promise.all((await handMade()).map(({ dir }) => readRecords(dir)))).flat();
}

/** What a user needs to sign in to the host, or to add it as a server. */
function describeHost(host: HostRecord, on: boolean): string[] {
  return [
    `${host.name} ${host.address} ${on ? 'on' : 'OFF'} (users: root, and drover who has sudo)`,
    `  ssh -i ${host.privateKeyFile} root@${host.address}`,
    `  npx drover server add ${host.name} --host ${host.address} --key fleet --host-key ${host.hostKey.fingerprint}`,
  ];
}

function fail(message: string, code: number): number {
  console.error(message);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
