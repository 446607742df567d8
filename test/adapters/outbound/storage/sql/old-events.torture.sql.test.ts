import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SqlAuditChain } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-audit-chain.ts';
import { SqlAuditLog } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-audit-log.ts';
import { SqlDeliveryStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-delivery-store.ts';
import { ForgetEvents } from '../../../../../src/application/events/forget-events.ts';
import { PruneAudit } from '../../../../../src/application/events/prune-audit.ts';
import { SealAudit } from '../../../../../src/application/events/seal-audit.ts';
import { VerifyAudit } from '../../../../../src/application/events/verify-audit.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { DAY } from '../../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { macOf } from '../../../../support/audit-mac.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { changesOf } from '../../../../support/changes-of.ts';
import {
  empty,
  type MakeDatabase,
  mariaDbDatabase,
  sqliteDatabase,
  type TestDatabase,
} from '../../../../support/databases.ts';
import { rounds } from '../../../../support/rounds.ts';

const NOW = Date.UTC(2026, 10, 20, 5);
const LONG_AGO = NOW - 400 * DAY;
const EVENTS = rounds(2_000, 50_000);
const ENTRIES = rounds(2_500, 100_000);
/** Webhooks and browsers that each was sent to. */
const TARGETS = 3;
/** The limit for one statement, as the use cases ask for it. */
const [MAX_ROWS, MAX_ENTRIES] = [500, 1_000];
/** `SealAudit` leaves the rest to its next turn. */
const SEALED_A_TURN = 20_000;
const ROOT = Actor.operator('cli:root');

function oldEvents(name: string, makeDatabase: MakeDatabase): void {
  describe(`old events: ${name}`, () => {
    const clock = new FakeClock(NOW);
    const { signal } = new AbortController();
    let made: TestDatabase;
    beforeAll(async () => {
      made = await makeDatabase();
    });
    afterAll(() => made.drop());
    beforeEach(() => empty(made.database));

    const add = async (table: string, rows: readonly object[]): Promise<void> => {
      for (let at = 0; at < rows.length; at += 250)
        await made.database.knex(table).insert(rows.slice(at, at + 250));
    };
    const event = (id: number, over: object = {}) => ({
      id,
      uid: `event-${id}`,
      type: 'job.failed',
      severity: 'warning',
      title: 'A job failed',
      message: 'It did.',
      at: LONG_AGO + id,
      pending: null,
      ...over,
    });
    const delivery = (event_id: number, target_id: number) => ({
      event_id,
      channel: 'webhook',
      target_id,
      status: 'delivered',
      attempts: 1,
      created_at: LONG_AGO,
    });

    it(`deletes ${EVENTS} events and their deliveries in small steps, and none that waits or is young`, async () => {
      const waiting = event(EVENTS + 1, { pending: 1 });
      const young = event(EVENTS + 2, { at: NOW - DAY });
      const old = Array.from({ length: EVENTS }, (_, index) => event(index + 1));
      await add('outbox_events', [...old, waiting, young]);
      const told = [...old, young].flatMap(({ id }) =>
        Array.from({ length: TARGETS }, (_, target) => delivery(id, target + 1)),
      );
      await add('deliveries', told);

      const forget = new ForgetEvents({
        deliveries: new SqlDeliveryStore(made.database),
        clock,
        kept: { events: 14 },
      });
      const { changes, begun } = await changesOf(made.database, () => forget.execute(signal));

      const { knex } = made.database;
      expect(await knex('outbox_events').orderBy('id').pluck('id')).toEqual([waiting.id, young.id]);
      expect(await knex('deliveries').distinct('event_id').pluck('event_id')).toEqual([young.id]);
      expect(begun).toBe(0);
      expect(changes).toHaveLength((EVENTS * (1 + TARGETS)) / MAX_ROWS);
      expect(Math.max(...changes.map(({ values }) => values))).toBe(MAX_ROWS);
    }, 600_000);

    it(`takes ${ENTRIES} old entries of the audit log in small steps, and none that is not in the chain`, async () => {
      const entry = (n: number, at: number) => ({
        at,
        actor_kind: 'operator',
        actor_name: 'cli:root',
        action: 'server.edit',
        object: `server:${n}`,
        outcome: 'success',
        detail: '{}',
      });
      const chain = new SqlAuditChain(made.database, macOf('the key'));
      await add(
        'audit_entries',
        Array.from({ length: ENTRIES }, (_, n) => entry(n, LONG_AGO + n)),
      );
      await add('audit_entries', [entry(ENTRIES, NOW - DAY)]);
      const seal = new SealAudit({ chain, clock, log: new RecordingLogger(), isNewDatabase: false });
      for (let sealed = 0; sealed <= ENTRIES; sealed += SEALED_A_TURN) await seal.execute(signal);
      await add('audit_entries', [entry(ENTRIES + 1, LONG_AGO)]);

      const prune = new PruneAudit({ chain, audit: new SqlAuditLog(made.database), clock });
      const { changes, begun } = await changesOf(made.database, async () =>
        expect(await prune.execute(ROOT, NOW - 365 * DAY)).toBe(ENTRIES),
      );

      const left = await made.database.knex('audit_entries').orderBy('id').pluck('object');
      expect(left).toEqual([`server:${ENTRIES}`, `server:${ENTRIES + 1}`, 'audit']);
      const removing = changes.filter(({ sql }) => sql.startsWith('delete'));
      expect(removing).toHaveLength(Math.ceil(ENTRIES / MAX_ENTRIES));
      // One for each step, so that chaining waits for one at most.
      expect(begun).toBeGreaterThanOrEqual(removing.length);
      expect(await new VerifyAudit({ chain }).execute(ROOT)).toMatchObject({ pruned: ENTRIES, checked: 1 });
    }, 600_000);
  });
}

oldEvents('SQLite', sqliteDatabase);
describeWith('mariadb', 'old events', () => oldEvents('MariaDB', mariaDbDatabase));
