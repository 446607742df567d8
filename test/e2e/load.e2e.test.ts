import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AgentLoad } from '../support/agent-load.ts';
import { describeWith } from '../support/capabilities.ts';
import { type LoadFleet, prepareLoadFleet } from '../support/load-fleet.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { Service } from '../support/service.ts';
import { SimulatedSshd } from '../support/simulated-sshd.ts';

const SERVERS = 1_000;
const AGENTS = { readers: 20, starters: 4 };
const FOR_MS = 3_000;

describeWith('mariadb', `two replicas, ${SERVERS} servers, and agents that all ask at once`, () => {
  const replicas: Service[] = [];
  let sshd: SimulatedSshd;
  let dataDir: string;
  let drop: () => Promise<void>;
  let fleet: LoadFleet;

  beforeAll(async () => {
    const database = await freshMariaDb();
    drop = database.drop;
    dataDir = await mkdtemp(join(tmpdir(), 'drover-load-'));
    sshd = await SimulatedSshd.start(20);
    const settings = {
      SERVICE_DATABASE_URL: database.url,
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      // The defaults: each agent has a separate address.
      SERVICE_RATE_PER_TOKEN: '6000',
      SERVICE_RATE_PER_ADDRESS: '18000',
    };
    fleet = await prepareLoadFleet(
      { ...settings, SERVICE_DATA_DIR: dataDir },
      { servers: SERVERS, host: sshd.host, ...AGENTS },
    );
    for (let n = 0; n < 2; n += 1) replicas.push(await Service.prepare({ settings, dataDir }));
    await Promise.all(replicas.map((replica) => replica.start()));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.remove()));
    sshd?.stop();
    await drop?.();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('answers every call of every tool, and takes every job to its end', async () => {
    const urls = replicas.map(({ url }) => url);
    const load = await AgentLoad.connect({ urls, ...fleet, servers: SERVERS, pauseMs: 0 });
    await load.run(FOR_MS);
    await load.close();
    expect(load.errors).toEqual([]);
    expect(load.errorCount).toBe(0);
    expect(Object.keys(load.jobs)).toEqual(['success']);
    expect(load.jobs['success']).toBeGreaterThanOrEqual(AGENTS.starters);
    expect([...load.times.keys()].sort()).toEqual([
      'get_job',
      'get_server',
      'health',
      'inventory',
      'list_jobs',
      'list_servers',
      'services',
      'summary',
      'trigger_job',
    ]);
  });
});
