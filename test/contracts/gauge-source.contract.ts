import { beforeEach, describe, expect, it } from 'vitest';
import type { NewApiToken } from '../../src/domain/access/api-token.ts';
import { DAY, HOUR } from '../../src/domain/base/instant.ts';
import {
  isBackupUnverified,
  isUnreachable,
  lacksBackup,
  needsAttention,
} from '../../src/domain/fleet/fleet-conditions.ts';
import type { GaugeMoments, Gauges } from '../../src/domain/fleet/gauges.ts';
import { supportState } from '../../src/domain/fleet/os-support.ts';
import type { FeatureFlags, Server, ServerFacts } from '../../src/domain/fleet/server.ts';
import { JOB_TYPES } from '../../src/domain/jobs/job-types.ts';
import { newJob } from '../support/job-subject.ts';
import {
  AT,
  addServer,
  type MakeStores,
  newServer,
  noRecord,
  type StoresSubject,
} from '../support/stores-subject.ts';

const MOMENTS: GaugeMoments = {
  now: AT,
  backupStaleBefore: AT - 36 * HOUR,
  unverifiedBefore: AT - 31 * DAY,
  failedSince: AT - DAY,
  expiringUntil: AT + 7 * DAY,
};

/** What every `GaugeSource` does. */
export function gaugeSourceContract(name: string, makeStores: MakeStores): void {
  describe(`GaugeSource: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });
    const read = (): Promise<Gauges> => stores.gauges.read(MOMENTS);

    it('says 0 of everything where there is nothing', async () => {
      const numbers = (value: unknown): unknown[] =>
        typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbers) : [value];
      const { jobs: counted, ...others } = await read();
      expect(counted.oldestPendingAt).toBeNull();
      expect(new Set(numbers({ ...others, jobs: { ...counted, oldestPendingAt: 0 } }))).toEqual(new Set([0]));
      expect(Object.keys(counted.activeByType)).toEqual(JOB_TYPES);
    });

    servers(() => stores, read);
    jobs(() => stores, read);

    it('counts tokens that are good, and those of them that soon are not', async () => {
      const add = (each: string, expiresAt: number | null) =>
        stores.tokens.add({ ...TOKEN, name: each, expiresAt }, each.padEnd(64, '0'), noRecord);
      await add('for ever', null);
      await add('next year', AT + 365 * DAY);
      await add('this week', AT + 7 * DAY);
      await add('today', AT + 1);
      await add('over', AT);
      const revoked = await add('revoked', AT + DAY);
      await stores.tokens.revoke(revoked.id, AT, noRecord);
      expect((await read()).tokens).toEqual({ active: 4, expiring: 2 });
    });
  });
}

function servers(stores: () => StoresSubject, read: () => Promise<Gauges>): void {
  /** A server for each combination of known facts, and the remaining ones. */
  async function fleet(): Promise<readonly Server[]> {
    const { servers: store } = stores();
    let n = 0;
    for (const facts of FACTS) {
      for (const backup of [true, false]) {
        n += 1;
        const features: FeatureFlags = { backup, os_patch: n % 3 === 0, docker: n % 5 === 0 };
        const { id } = await store.add(newServer(`host-${n}`, { features }), AT, noRecord);
        await store.learn(id, facts);
        if (n % 7 === 0) await store.remove(id, AT, {});
      }
    }
    return (await store.list({}, { limit: 1_000, offset: 0 })).items;
  }

  it('counts servers by what is known of them, without those that are gone', async () => {
    const all = await fleet();
    const having = (holds: (server: Server) => boolean): number => all.filter(holds).length;
    const sum = (count: (facts: ServerFacts) => number | null): number =>
      all.reduce((total, { facts }) => total + (count(facts) ?? 0), 0);
    const { servers: counted, updates } = await read();
    expect(counted).toEqual({
      total: all.length,
      attention: having((server) => needsAttention(server, MOMENTS)),
      unreachable: having(isUnreachable),
      rebootPending: having(({ facts }) => facts.rebootPending === true),
      backupEnabled: having(({ features }) => features.backup),
      backupStale: having((server) => lacksBackup(server, MOMENTS.backupStaleBefore)),
      backupUnverified: having((server) => isBackupUnverified(server, MOMENTS.unverifiedBefore)),
      neverChecked: {
        os: having(({ features, facts }) => features.os_patch && facts.lastOsCheckAt === null),
        container: having(({ features, facts }) => features.docker && facts.lastContainerCheckAt === null),
      },
      bySupport: {
        ended: having(({ facts }) => supportState(facts.supportEndsAt, AT) === 'ended'),
        ending: having(({ facts }) => supportState(facts.supportEndsAt, AT) === 'ending'),
      },
      withUpdates: {
        os: having(({ facts }) => (facts.osUpdatesCount ?? 0) > 0),
        security: having(({ facts }) => (facts.securityUpdatesCount ?? 0) > 0),
        container: having(({ facts }) => (facts.containerUpdatesCount ?? 0) > 0),
      },
    });
    expect(updates).toEqual({
      os: sum((facts) => facts.osUpdatesCount),
      security: sum((facts) => facts.securityUpdatesCount),
      container: sum((facts) => facts.containerUpdatesCount),
    });
    for (const value of Object.values(counted)) expect(value).not.toBe(0);
  });

  it('calls as many backups stale as the summary does', async () => {
    await fleet();
    const totals = await stores().servers.totals({}, MOMENTS.backupStaleBefore);
    const { servers: counted } = await read();
    expect(counted.backupStale).toBe(totals.backupsStale + totals.notBackedUpYet);
    expect(counted.rebootPending).toBe(totals.rebootPending);
    expect(counted.total).toBe(totals.hosts);
  });

  it('lists each server, or none if there are too many', async () => {
    const web = await addServer(stores(), 'web');
    const gone = await addServer(stores(), 'gone');
    const db = await addServer(stores(), 'db');
    await stores().servers.remove(gone, AT, {});
    await stores().servers.learn(web, {
      osPretty: 'Debian GNU/Linux 12 "bookworm"',
      lastBackupAt: AT - 5,
      lastSeenAt: AT,
      securityUpdatesCount: 3,
    });
    expect(await stores().gauges.readServers(2)).toEqual([
      {
        id: web,
        name: 'web',
        osPretty: 'Debian GNU/Linux 12 "bookworm"',
        lastBackupAt: AT - 5,
        lastSeenAt: AT,
        updates: { os: null, security: 3, container: null },
      },
      {
        id: db,
        name: 'db',
        osPretty: null,
        lastBackupAt: null,
        lastSeenAt: null,
        updates: { os: null, security: null, container: null },
      },
    ]);
    expect(await stores().gauges.readServers(1)).toBeNull();
  });
}

function jobs(stores: () => StoresSubject, read: () => Promise<Gauges>): void {
  /** A job of a separate server, in the given state. */
  async function job(to: 'pending' | 'running' | 'awaiting_approval'): Promise<number> {
    const { jobs: store, queue } = stores();
    serverCount += 1;
    const serverId = await addServer(stores(), `server-${serverCount}`);
    const status = to === 'awaiting_approval' ? to : 'pending';
    const { id } = await store.enqueue(
      newJob(serverId, 'backup', { status, at: AT + serverCount }),
      noRecord,
    );
    if (to === 'running')
      await queue.claim({ owner: 'me', leaseMs: 60_000, limit: 1, at: AT, record: noRecord });
    return id;
  }
  let serverCount = 0;

  async function ended(status: 'success' | 'failed', at: number, code?: 'host_key_mismatch'): Promise<void> {
    const { jobs: store, queue } = stores();
    const serverId = await addServer(stores(), `server-${(serverCount += 1)}`);
    await store.enqueue(newJob(serverId), noRecord);
    const [claim] = await queue.claim({ owner: 'me', leaseMs: 60_000, limit: 1, at: AT, record: noRecord });
    if (!claim) throw new Error('nothing to claim');
    const error = status === 'failed' ? { code: code ?? ('host_timeout' as const), detail: 'No.' } : null;
    await queue.finish(claim, { status, summary: 'Over.', error, result: null }, at, noRecord);
  }

  it('counts jobs by status, and active ones by type', async () => {
    await ended('success', AT);
    await ended('success', AT);
    await ended('failed', AT);
    const cancelled = await job('pending');
    await stores().jobs.requestCancel(cancelled, AT, noRecord);
    await job('running');
    await job('pending');
    await job('pending');
    await job('awaiting_approval');
    const { byStatus, activeByType } = (await read()).jobs;
    expect(byStatus).toEqual({
      awaiting_approval: 1,
      pending: 2,
      running: 1,
      success: 2,
      failed: 1,
      cancelled: 1,
    });
    expect(activeByType).toEqual({ ...Object.fromEntries(JOB_TYPES.map((type) => [type, 0])), backup: 3 });
  });

  it('counts the same again, and what has changed since', async () => {
    await ended('success', AT);
    const before = (await read()).jobs;
    expect((await read()).jobs).toEqual(before);
    await ended('failed', AT);
    expect((await read()).jobs.byStatus).toEqual({ ...before.byStatus, failed: 1 });
  });

  it('tells since when the oldest job waits', async () => {
    expect((await read()).jobs.oldestPendingAt).toBeNull();
    await job('awaiting_approval');
    const [first, second] = [await job('pending'), await job('pending')];
    const at = async (id: number) => (await stores().jobs.find(id))?.createdAt;
    expect((await read()).jobs.oldestPendingAt).toBe(await at(first));
    await stores().jobs.requestCancel(first, AT, noRecord);
    expect((await read()).jobs.oldestPendingAt).toBe(await at(second));
  });

  it('counts what failed lately, and the servers that showed another host key', async () => {
    await ended('failed', AT - DAY);
    await ended('failed', AT - DAY - 1, 'host_key_mismatch');
    await ended('failed', AT, 'host_key_mismatch');
    await ended('success', AT);
    const counted = (await read()).jobs;
    expect(counted).toMatchObject({ failedLately: 2, hostKeyMismatches: 1 });
    expect(counted.byStatus.failed).toBe(3);
  });
}

const TOKEN: NewApiToken = {
  name: 'ci',
  prefix: 'drv_abcdefgh',
  scopes: ['read'],
  allowedCidrs: [],
  allowedServerIds: null,
  requireApproval: false,
  createdBy: 'test',
  createdAt: AT,
  expiresAt: null,
};

/** Known and unknown, well and not, just in time and too late. */
const FACTS: readonly Partial<ServerFacts>[] = [null, AT, AT - 36 * HOUR, AT - 36 * HOUR - 1].flatMap(
  (lastBackupAt) =>
    [null, false, true].flatMap((rebootPending) =>
      [null, 0, 4].flatMap((securityUpdatesCount) =>
        [null, AT, null].map((contactFailedSince, index) => ({
          lastBackupAt,
          rebootPending,
          securityUpdatesCount,
          contactFailedSince,
          osUpdatesCount: securityUpdatesCount === null ? null : index * 9,
          containerUpdatesCount: index === 2 ? 2 : null,
          lastVerifiedAt: [null, AT - 31 * DAY, AT - 31 * DAY - 1][index] ?? null,
          lastOsCheckAt: securityUpdatesCount === null ? null : AT,
          supportEndsAt: [null, AT - 1, AT + 90 * DAY - 1][index] ?? null,
          lastContainerCheckAt: index === 1 ? AT : null,
        })),
      ),
    ),
);
