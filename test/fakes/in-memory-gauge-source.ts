import type { GaugeSource } from '../../src/application/ports/service/gauge-source.ts';
import { isExpired } from '../../src/domain/access/api-token.ts';
import type { DeliveryStatus } from '../../src/domain/events/delivery.ts';
import { NOTIFICATION_KINDS } from '../../src/domain/events/notification.ts';
import {
  isBackupStale,
  isBackupUnverified,
  isUnreachable,
  needsAttention,
} from '../../src/domain/fleet/fleet-conditions.ts';
import type {
  CheckKind,
  GaugeMoments,
  Gauges,
  ServerGauges,
  UpdateKind,
} from '../../src/domain/fleet/gauges.ts';
import type { FeatureFlag, Server, ServerFacts } from '../../src/domain/fleet/server.ts';
import { isActive, JOB_STATUSES, type Job } from '../../src/domain/jobs/job.ts';
import { JOB_TYPES } from '../../src/domain/jobs/job-types.ts';
import { InMemoryWorld } from './in-memory-world.ts';

/** Counts by the domain's own rules. */
export class InMemoryGaugeSource implements GaugeSource {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async read(moments: GaugeMoments): Promise<Gauges> {
    return {
      ...this.#servers(moments),
      jobs: this.#jobs(moments),
      approvals: {
        waiting: [...this.#world.approvals.values()].filter(({ state }) => state === 'waiting').length,
      },
      notifications: {
        openByType: record(NOTIFICATION_KINDS, (kind) => this.#world.openAlerts(null, kind)),
      },
      deliveries: { pending: this.#deliveries('pending'), dead: this.#deliveries('dead') },
      tokens: this.#tokens(moments),
    };
  }

  #deliveries(status: DeliveryStatus): number {
    return [...this.#world.deliveries.values()].filter(
      (each) => each.target.channel === 'webhook' && each.status === status,
    ).length;
  }

  async readServers(most: number): Promise<readonly ServerGauges[] | null> {
    const servers = [...this.#world.servers.values()].toSorted((a, b) => a.id - b.id);
    if (servers.length > most) return null;
    return servers.map(({ id, name, facts }) => ({
      id,
      name,
      osPretty: facts.osPretty,
      lastBackupAt: facts.lastBackupAt,
      lastSeenAt: facts.lastSeenAt,
      updates: eachUpdate((kind) => facts[`${kind}UpdatesCount`]),
    }));
  }

  #servers(moments: GaugeMoments): Pick<Gauges, 'servers' | 'updates'> {
    const all = [...this.#world.servers.values()];
    const having = (holds: (server: Server) => boolean): number => all.filter(holds).length;
    const never = (flag: FeatureFlag, at: (facts: ServerFacts) => number | null): number =>
      having(({ features, facts }) => features[flag] && at(facts) === null);
    const neverChecked: Record<CheckKind, number> = {
      os: never('os_patch', (facts) => facts.lastOsCheckAt),
      container: never('docker', (facts) => facts.lastContainerCheckAt),
    };
    return {
      servers: {
        total: all.length,
        attention: having((server) => needsAttention(server, moments)),
        unreachable: having(isUnreachable),
        rebootPending: having(({ facts }) => facts.rebootPending === true),
        backupEnabled: having(({ features }) => features.backup),
        backupStale: having((server) => isBackupStale(server, moments.backupStaleBefore)),
        backupUnverified: having((server) => isBackupUnverified(server, moments.unverifiedBefore)),
        neverChecked,
        withUpdates: eachUpdate((kind) => having(({ facts }) => pending(facts, kind) > 0)),
      },
      updates: eachUpdate((kind) => all.reduce((sum, { facts }) => sum + pending(facts, kind), 0)),
    };
  }

  #jobs({ failedSince }: GaugeMoments): Gauges['jobs'] {
    const all = [...this.#world.jobs.values()];
    const having = (holds: (job: Job) => boolean): readonly Job[] => all.filter(holds);
    const failed = having(
      ({ status, finishedAt }) => status === 'failed' && (finishedAt ?? 0) >= failedSince,
    );
    const mismatches = failed.filter(({ error }) => error?.code === 'host_key_mismatch');
    const waiting = having(({ status }) => status === 'pending').toSorted((a, b) => a.id - b.id);
    return {
      byStatus: record(JOB_STATUSES, (status) => having((job) => job.status === status).length),
      activeByType: record(
        JOB_TYPES,
        (type) => having((job) => job.jobType === type && isActive(job.status)).length,
      ),
      failedLately: failed.length,
      oldestPendingAt: waiting[0]?.createdAt ?? null,
      hostKeyMismatches: new Set(mismatches.map(({ serverId }) => serverId)).size,
    };
  }

  #tokens({ now, expiringUntil }: GaugeMoments): Gauges['tokens'] {
    const active = [...this.#world.tokens.values()].filter(
      ({ token }) => token.revokedAt === null && !isExpired(token, now),
    );
    const expiring = active.filter(
      ({ token }) => token.expiresAt !== null && token.expiresAt <= expiringUntil,
    );
    return { active: active.length, expiring: expiring.length };
  }
}

const pending = (facts: ServerFacts, kind: UpdateKind): number => facts[`${kind}UpdatesCount`] ?? 0;

const eachUpdate = <T>(count: (kind: UpdateKind) => T): Record<UpdateKind, T> => ({
  os: count('os'),
  security: count('security'),
  container: count('container'),
});

const record = <K extends string>(keys: readonly K[], value: (key: K) => number): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, number>;
