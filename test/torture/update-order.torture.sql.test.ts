import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PatchPolicies } from '../../src/application/automation/patch-policies.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { HOUR, MINUTE } from '../../src/domain/base/instant.ts';
import { describeWith } from '../support/capabilities.ts';
import {
  type MakeDatabase,
  mariaDbDatabase,
  sqliteDatabase,
  type TestDatabase,
} from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';
import { type SqlAutomation, sqlAutomation } from '../support/sql-automation.ts';
import { AT, newServer, noRecord } from '../support/stores-subject.ts';
import { type FastTime, fastNow } from './fast-time.ts';
import { JobProcess } from './jobs-process.ts';

const ALL = { limit: 100, offset: 0 };
const BAKE = 10 * MINUTE;
/** At most this many of the group at once. */
const AT_ONCE = 2;
const operator = Actor.operator('test');
const signal = new AbortController().signal;

function ordered(open: MakeDatabase): void {
  let opened: TestDatabase;
  let parts: SqlAutomation;
  beforeAll(async () => {
    opened = await open();
    parts = sqlAutomation(opened.database);
    parts.clock.setTo(AT);
    for (let n = 1; n <= 8; n += 1) {
      const tags = ['all', n <= 2 ? 'canary' : n <= 4 ? 'early' : 'late', ...(n > 2 ? ['db'] : [])];
      const features = { backup: false, os_patch: true, docker: false };
      await parts.stores.servers.add(newServer(`host-${n}`, { tags, features }), AT, noRecord);
    }
    await new PatchPolicies({ ...parts.stores, clock: parts.clock }).add(operator, {
      name: 'careful',
      selector: { all: true },
      rings: [
        { tag: 'canary', bakeMs: BAKE },
        { tag: 'early', bakeMs: BAKE },
      ],
      groups: [{ tag: 'db', atOnce: AT_ONCE }],
    });
  });
  afterAll(() => opened.drop());

  it('never runs more jobs of a group at once, however many replicas claim', async () => {
    const replicas = [opened.database, opened.another(), opened.another()].map(sqlAutomation);
    const isGrouped = (name: string): boolean => !['host-1', 'host-2'].includes(name);
    let most = 0;
    for (let round = 0; round < rounds(5, 100); round += 1) {
      await parts.startBatch.execute(operator, {
        selector: { all: true },
        jobType: 'os_patch',
        bounds: { maxParallel: 8 },
      });
      await parts.advance.execute(signal);
      for (let left = 8; left > 0; ) {
        const claims = await Promise.all(
          replicas.map(({ stores }, n) =>
            stores.queue.claim({ owner: `w${n}`, leaseMs: HOUR, limit: 8, at: AT, record: noRecord }),
          ),
        );
        const { items } = await parts.stores.jobs.list({ status: 'running' }, ALL);
        const running = items.filter(({ serverName }) => isGrouped(serverName)).length;
        expect(running).toBeLessThanOrEqual(AT_ONCE);
        most = Math.max(most, running);
        const outcome = { status: 'success', summary: '', error: null, result: null } as const;
        for (const [n, own] of claims.entries())
          for (const claim of own) await replicas[n]?.stores.queue.finish(claim, outcome, AT, noRecord);
        expect(claims.flat().length).toBeGreaterThan(0);
        left -= claims.flat().length;
      }
      await parts.advance.execute(signal);
    }
    expect(most).toBe(AT_ONCE);
  });

  it('starts each ring once, and not before its time, if replicas are killed in between', async () => {
    const time: FastTime = { start: AT + MINUTE, epoch: Date.now() };
    parts.clock.setTo(fastNow(time));
    const { id } = await parts.manageSchedules.add(operator, {
      name: 'updates',
      selector: { tags: ['all'] },
      cron: { expression: '*/5 * * * *', timeZone: 'UTC' },
      jobType: 'os_patch',
      params: {},
      bounds: { maxParallel: 8 },
      jitterMs: 0,
      enabled: true,
    });
    const over: Promise<void>[] = [];
    const start = async (): Promise<JobProcess> => {
      const process = await JobProcess.start('./automation-child.ts');
      await process.open({ url: opened.url, dataDir: opened.dataDir });
      over.push(
        process.call('workForEver', { ...time, jobs: 0 }).then(
          () => {},
          (error: Error) => {
            if (error.message !== 'the process ended: SIGKILL') throw error;
          },
        ),
      );
      return process;
    };
    const workers = [await start(), await start()];
    const first = async () =>
      (await parts.stores.batches.list({ scheduleId: id }, ALL)).items.find(({ finishedAt }) => finishedAt);
    let kills = 0;
    for (let batch = await first(); batch === undefined; batch = await first()) {
      await workers.shift()?.kill();
      kills += 1;
      workers.push(await start());
      await sleep(Math.random() * 100);
      parts.clock.setTo(fastNow(time));
      await parts.endJobs(8);
    }
    await Promise.all(workers.map((each) => each.kill()));
    await Promise.all(over);
    const batch = await first();
    expect(batch).toMatchObject({ status: 'success', counts: { success: 8 } });
    const members = await parts.stores.batches.ordered(batch?.id ?? 0);
    const jobs = await parts.stores.jobs.list({ scheduled: true }, ALL);
    const { items } = await parts.stores.batches.members(batch?.id ?? 0, {}, ALL);
    // Another batch may have started its first ring since.
    const own = jobs.items.filter(
      (job) => job.createdAt <= Math.max(...members.map((m) => m.jobEndedAt ?? 0)),
    );
    expect(new Set(items.map(({ jobId }) => jobId)).size).toBe(8);
    expect(own.filter(({ id: job }) => items.some(({ jobId }) => jobId === job))).toHaveLength(8);
    for (const { serverId } of members)
      expect(own.filter((job) => job.serverId === serverId)).toHaveLength(1);
    for (const ring of [1, 2]) {
      const before = members.filter(({ place }) => place?.ring === ring - 1).map((m) => m.jobEndedAt ?? 0);
      const these = members.filter(({ place }) => place?.ring === ring).map((m) => m.jobStartedAt ?? 0);
      expect(Math.min(...these)).toBeGreaterThanOrEqual(Math.max(...before) + BAKE);
    }
    console.log(`${opened.database.kind}: ${kills} kills`);
    expect(kills).toBeGreaterThan(2);
  });
}

describe('the order of updates on SQLite', () => ordered(sqliteDatabase));
describeWith('mariadb', 'the order of updates on MariaDB', () => ordered(mariaDbDatabase));
