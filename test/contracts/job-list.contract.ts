import { beforeAll, describe, expect, it } from 'vitest';
import type { JobFilter } from '../../src/application/ports/jobs/job-store.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import type { JobOrder } from '../../src/domain/base/list-orders.ts';
import type { JobSubject, MakeJobSubject } from '../support/job-subject.ts';
import { claim, enqueue, finish, newJob, stored } from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';

const ALL = { limit: 100, offset: 0 };

/** Jobs by name, so that an expectation reads as a sentence. */
async function populate(subject: JobSubject, server: () => Promise<number>) {
  const [web, db, mail] = [await server(), await server(), await server()];
  const done = await enqueue(subject, newJob(web, 'backup'));
  for (const claimed of await claim(subject)) await finish(subject, claimed);
  const waiting = await enqueue(subject, newJob(db, 'os_patch', { status: 'awaiting_approval' }));
  const cancelled = await enqueue(subject, newJob(mail, 'backup'));
  await subject.store.requestCancel(cancelled.id, AT, noRecord);
  const running = await enqueue(subject, newJob(db, 'backup'));
  await claim(subject);
  const pending = await enqueue(subject, newJob(web, 'os_update_check'));
  return {
    web,
    db,
    mail,
    ids: {
      done: done.id,
      waiting: waiting.id,
      cancelled: cancelled.id,
      running: running.id,
      pending: pending.id,
    },
  };
}

export function jobListContract(makeSubject: MakeJobSubject): void {
  describe('list', () => {
    const { subject, server } = sharedSubject(makeSubject);
    let fleet: Awaited<ReturnType<typeof populate>>;
    beforeAll(async () => {
      fleet = await populate(subject(), server);
    });
    type Name = keyof typeof fleet.ids;
    const named = (id: number): Name | undefined =>
      (Object.keys(fleet.ids) as Name[]).find((name) => fleet.ids[name] === id);
    const listed = async (filter: JobFilter, page = ALL) => {
      const { items, total } = await subject().store.list(filter, page);
      return { names: items.map((job) => named(job.id)), total };
    };

    it('gives all jobs, newest first', async () => {
      const names = ['pending', 'running', 'cancelled', 'waiting', 'done'];
      expect(await listed({})).toEqual({ names, total: 5 });
    });

    it('gives them in another order', async () => {
      const inOrder = async (order: JobOrder) =>
        (await subject().store.list({}, ALL, order)).items.map(({ id }) => named(id));
      const oldestFirst = ['done', 'waiting', 'cancelled', 'running', 'pending'];
      expect(await inOrder({ by: 'started', descending: false })).toEqual(oldestFirst);
      const byState = ['waiting', 'cancelled', 'pending', 'running', 'done'];
      expect(await inOrder({ by: 'state', descending: false })).toEqual(byState);
    });

    it('names the neighbours of a job in such a list, whether or not it is in it', async () => {
      const { store } = subject();
      const { ids, web, db } = fleet;
      expect(await store.beside(ids.cancelled, {})).toEqual({ newer: ids.running, older: ids.waiting });
      expect(await store.beside(ids.done, { serverId: web })).toEqual({ newer: ids.pending, older: null });
      expect(await store.beside(ids.cancelled, { serverIds: [db] })).toEqual({
        newer: ids.running,
        older: ids.waiting,
      });
    });

    it('gives the results of several jobs at once, on the servers that were named', async () => {
      const { store } = subject();
      const { ids, db } = fleet;
      const { result } = (await store.find(ids.done)) ?? {};
      expect(await store.results({ ids: [ids.done, ids.pending] })).toEqual([
        { id: ids.done, result },
        { id: ids.pending, result: null },
      ]);
      expect(await store.results({ ids: [ids.done], serverIds: [db] })).toEqual([]);
    });

    it('gives a window on them and the number of all', async () => {
      expect(await listed({}, { limit: 2, offset: 1 })).toEqual({
        names: ['running', 'cancelled'],
        total: 5,
      });
      expect(await listed({}, { limit: 2, offset: 9 })).toEqual({ names: [], total: 5 });
      const page = await subject().store.list({ serverId: fleet.web }, { limit: 1, offset: 0 });
      expect(page).toMatchObject({ total: 2, limit: 1, offset: 0 });
    });

    it('filters by server, status and type, and by all of them together', async () => {
      const { web, db, mail } = fleet;
      expect((await listed({ serverId: db })).names).toEqual(['running', 'waiting']);
      expect((await listed({ serverIds: [web, mail] })).names).toEqual(['pending', 'cancelled', 'done']);
      expect((await listed({ status: 'cancelled' })).names).toEqual(['cancelled']);
      expect((await listed({ jobType: 'backup' })).names).toEqual(['running', 'cancelled', 'done']);
      expect(await listed({ serverId: web, status: 'success', jobType: 'backup' })).toEqual({
        names: ['done'],
        total: 1,
      });
      expect(await listed({ serverId: web, status: 'success', jobType: 'os_patch' })).toEqual({
        names: [],
        total: 0,
      });
    });

    it('gives what is active, which what awaits approval is not', async () => {
      expect(await listed({ activeOnly: true })).toEqual({ names: ['pending', 'running'], total: 2 });
      expect((await listed({ activeOnly: true, serverId: fleet.web })).names).toEqual(['pending']);
      expect((await listed({ activeOnly: true, status: 'success' })).names).toEqual([]);
      expect((await listed({ activeOnly: false })).total).toBe(5);
    });

    it('gives nothing to whom no server is allowed, and everything to whom all are', async () => {
      expect(await listed({ serverIds: [] })).toEqual({ names: [], total: 0 });
      expect((await listed({ serverIds: null })).total).toBe(5);
      expect((await listed({ serverIds: [fleet.web], serverId: fleet.db })).total).toBe(0);
    });

    it('leaves results out, which only find reads', async () => {
      const { items } = await subject().store.list({ status: 'success' }, ALL);
      expect(items[0]?.result).toBeNull();
      const job = await stored(subject(), fleet.ids.done);
      expect(job.result).toEqual({ files: 3 });
      expect(items).toEqual([{ ...job, result: null }]);
    });

    it('counts what is active', async () => {
      expect(await subject().store.countActive({})).toBe(2);
      expect(await subject().store.countActive({ serverIds: null })).toBe(2);
      expect(await subject().store.countActive({ serverIds: [fleet.db] })).toBe(1);
      expect(await subject().store.countActive({ serverIds: [fleet.mail] })).toBe(0);
      expect(await subject().store.countActive({ serverIds: [] })).toBe(0);
    });

    it('counts each state but success, of which a long history has many', async () => {
      const { store } = subject();
      const counted = async (filter: JobFilter) => Object.fromEntries(await store.countByStatus(filter));
      const ofDb = { awaiting_approval: 1, running: 1 };
      expect(await counted({})).toEqual({ ...ofDb, cancelled: 1, pending: 1 });
      expect(await counted({ serverId: fleet.db, serverIds: null })).toEqual(ofDb);
      expect(await counted({ serverIds: [fleet.db] })).toEqual(ofDb);
      expect(await counted({ serverIds: [] })).toEqual({});
    });

    it('counts by day what succeeded and failed, and nothing from outside the days', async () => {
      const ended = (await stored(subject(), fleet.ids.done)).finishedAt ?? 0;
      const day = ended - (ended % DAY);
      expect(await subject().store.endedPerDay(ended, ended + 1)).toEqual([
        { day, jobType: 'backup', status: 'success', jobs: 1 },
      ]);
      expect(await subject().store.endedPerDay(day, ended)).toEqual([]);
      expect(await subject().store.endedPerDay(ended + 1, ended + DAY)).toEqual([]);
    });

    it('filters by who asked, by whether a schedule did, and by when', async () => {
      const place = fleet.mail;
      const asked = { ...newJob(place, 'os_update_check', { at: AT + 5_000 }), requestedBy: 'user:ann' };
      const early = await enqueue(subject(), asked);
      const late = await enqueue(subject(), {
        ...newJob(place, 'retention', { at: AT + 9_000 }),
        scheduled: true,
      });
      const ids = async (filter: JobFilter) =>
        (await subject().store.list({ ...filter, serverId: place }, ALL)).items.map(({ id }) => id);
      expect(await ids({ requestedBy: 'user:ann' })).toEqual([early.id]);
      expect(await ids({ requestedBy: 'ann' })).toEqual([]);
      expect(await ids({ scheduled: true })).toEqual([late.id]);
      expect(await ids({ scheduled: false })).toEqual([early.id, fleet.ids.cancelled]);
      expect(await ids({ since: AT + 5_000 })).toEqual([late.id, early.id]);
      expect(await ids({ since: AT + 5_000, before: AT + 9_000 })).toEqual([early.id]);
      for (const { id } of [early, late]) await subject().store.requestCancel(id, AT, noRecord);
    });
  });
}
