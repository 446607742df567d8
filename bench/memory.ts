// One replica under sustained load: resident memory, and what remains after a collection.
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentLoad, SERVERS_EACH } from '../test/support/agent-load.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { AGENTS, inLoadFixture, PAUSE_MS, tellErrors } from './load/load-fixture.ts';
import { Replica } from './load/processes.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
const QUARTERS = 4;
/** Each host that gets jobs has had two: the connections to all of them are there. */
const WARM_JOBS = 2 * AGENTS.starters * SERVERS_EACH;
const MIB = 2 ** 20;
const IN_USE = 'in use after a collection, MiB';

const began = performance.now();
needs({ programs: ['mariadbd'] });
await inLoadFixture(async ({ settings, connect }) => {
  const replica = await Replica.start(settings, { hasProbe: true });
  try {
    const load = await connect([replica.url], PAUSE_MS);
    const rows: Row[] = [rowOf(replica, load, { [IN_USE]: await inUse(replica) })];
    do await load.run(SECONDS * 1_000);
    while (doneBy(load).jobs < WARM_JOBS);
    // there are no requests at the two compared moments
    const before = await inUse(replica);
    rows.push(rowOf(replica, load, { [IN_USE]: before }));
    const over = load.run(QUARTERS * SECONDS * 1_000);
    for (let quarter = 1; quarter <= QUARTERS; quarter += 1) {
      await sleep(SECONDS * 1_000);
      rows.push(rowOf(replica, load));
    }
    await over;
    const after = await inUse(replica);
    rows.push(rowOf(replica, load, { [IN_USE]: after }));
    await load.close();
    tellErrors(load);
    const jobs = doneBy(load).jobs - Number(rows[1]?.['jobs']);
    report('memory', rows, {
      'bytes kept a job, with the calls of its time': Math.round(((after - before) * MIB) / jobs),
      errors: load.errorCount,
      'seconds of a quarter': SECONDS,
    });
    if (load.errorCount > 0) process.exitCode = 1;
  } finally {
    await replica.stop();
  }
});

async function inUse(replica: Replica): Promise<number> {
  return Math.round(((await replica.heap()) / MIB) * 100) / 100;
}

function rowOf(replica: Replica, load: AgentLoad, more: Row = {}): Row {
  const after = Math.round((performance.now() - began) / 1_000);
  return { 'after s': after, ...doneBy(load), 'resident MiB': replica.memory(), ...more };
}

function doneBy({ times, jobs }: AgentLoad): { readonly calls: number; readonly jobs: number } {
  return {
    calls: [...times.values()].reduce((sum, each) => sum + each.length, 0),
    jobs: Object.values(jobs).reduce((sum, count) => sum + count, 0),
  };
}
