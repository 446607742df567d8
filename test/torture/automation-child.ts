import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../src/adapters/outbound/storage/sql/database.ts';
import { RunDueSchedules } from '../../src/application/automation/run-due-schedules.ts';
import type { StartScheduledJob } from '../../src/application/automation/start-scheduled-job.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { type SqlAutomation, sqlAutomation } from '../support/sql-automation.ts';
import { type FastTime, fastNow } from './fast-time.ts';
import type { ChildRequest } from './jobs-process.ts';

// A separate process that runs schedules and advances batches, like a replica, and dies with its parent.

let database: Database | undefined;
let parts: SqlAutomation | undefined;

async function open(address: DatabaseOptions): Promise<void> {
  await database?.close();
  database = openDatabase(address);
  parts = undefined;
}

function automation(now: number): SqlAutomation {
  if (!database) throw new Error('a database has to be opened first');
  parts ??= sqlAutomation(database);
  parts.clock.setTo(now);
  return parts;
}

const signal = new AbortController().signal;

/** One run of schedules and batches, at a moment on the machine's clock, as if it were another time. */
async function look({ at, now }: { at: number; now: number }): Promise<void> {
  const { due, advance } = automation(now);
  while (Date.now() < at);
  await due.execute(signal);
  await advance.execute(signal);
}

/** Looks and ends jobs without end, until the process is killed. */
async function workForEver({ jobs = 5, ...time }: FastTime & { readonly jobs?: number }): Promise<never> {
  for (;;) {
    const { due, advance, endJobs } = automation(fastNow(time));
    await tolerating(() => due.execute(signal));
    await tolerating(() => advance.execute(signal));
    await tolerating(() => endJobs(jobs));
  }
}

/** Stamps the slots that are due, and never comes to start anything for them. */
function stampAndHang({ now }: { now: number }): Promise<void> {
  const { stores, cron, clock, log, requesters } = automation(now);
  return new Promise((resolve, reject) => {
    const execute = (): Promise<never> => {
      resolve();
      return new Promise<never>(() => {});
    };
    const start = { execute } as unknown as StartScheduledJob;
    const hanging = new RunDueSchedules({
      schedules: stores.schedules,
      cron,
      clock,
      log,
      startScheduledJob: start,
      requesters,
    });
    hanging.execute(signal).catch(reject);
  });
}

/** Actions of others at any time. */
async function tolerating(step: () => Promise<unknown>): Promise<void> {
  await step().catch((error: unknown) => {
    if (!isDomainError(error, 'lease_lost') && !isDomainError(error, 'database_unavailable')) throw error;
  });
}

const COMMANDS: { readonly [name: string]: (argument: never) => Promise<unknown> } = {
  open,
  look,
  workForEver,
  stampAndHang,
};

process.on('disconnect', () => process.exit());
process.on('message', ({ id, command, argument }: ChildRequest) => {
  const run = COMMANDS[command];
  if (!run) throw new Error(`no such command: ${command}`);
  run(argument as never).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.send?.({ id: 0, result: 'ready' });
