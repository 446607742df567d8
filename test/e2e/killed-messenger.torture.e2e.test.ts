import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { recordChange } from '../../src/adapters/outbound/storage/sql/stores/record-change.ts';
import type { DomainEvent } from '../../src/domain/events/event.ts';
import { eventually } from '../support/processes.ts';
import { type Behaviour, hangs, Receiver } from '../support/receiver.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/service.ts';

const KILLS = rounds(2, 200);
const EVENTS_A_ROUND = 3;
/** Events are handed out and sent within two looks of a second. */
const MAX_LIFE_MS = 2_500;
const ARRIVED_WITHIN_MS = 60_000;

/** The ids of the answered messages: a message that was only sent has not arrived. */
const answered = new Set<string>();

/** Takes a while, so that a kill falls into it at times. */
const slowly: Behaviour = (request, response) =>
  void setTimeout(() => {
    if (response.destroyed) return;
    answered.add(String(request.headers['webhook-id']));
    response.writeHead(204).end();
  }, Math.random() * 200);

describe('kill -9 of the service between the commit of an event and its delivery', () => {
  const service = useService(() => ({ settings: { SERVICE_WEBHOOK_ALLOW_PRIVATE: '1' } }));
  const receiver = new Receiver('');
  let database: Database;

  beforeAll(async () => {
    receiver.always = slowly;
    const port = await receiver.listen();
    const Added = z.object({ secret: z.string() });
    const add = ['webhook', 'add', 'chat', '--url', `http://127.0.0.1:${port}/`];
    receiver.secret = (await service().ask(Added, add)).secret;
    database = openDatabase({ url: null, dataDir: service().dataDir });
  });
  afterAll(async () => {
    await database.close();
    await receiver.close();
  });

  async function commit(title: string): Promise<void> {
    const event: DomainEvent = {
      type: 'job.failed',
      at: Date.now(),
      severity: 'critical',
      title,
      message: 'It happened.',
      serverId: null,
      jobId: null,
    };
    await database.transaction((trx) => recordChange(trx, { events: [event] }));
  }

  const waiting = async (): Promise<{ events: number; deliveries: number }> => {
    const count = async (table: string, where: object): Promise<number> =>
      ((await database.knex(table).where(where).count({ total: '*' }).first()) as { total: number }).total;
    return {
      events: await count('outbox_events', { pending: 1 }),
      deliveries: await count('deliveries', { status: 'pending' }),
    };
  };

  /** When to kill, in turn: immediately, while the receiver has an unanswered message, and at any time. */
  const waitFor = [
    async () => {},
    async () => {
      const before = receiver.received.length;
      receiver.always = hangs;
      await eventually('a message is on its way', ARRIVED_WITHIN_MS, async () =>
        receiver.received.length > before ? true : undefined,
      );
    },
    () => sleep(Math.random() * MAX_LIFE_MS),
  ];

  it(`loses nothing, ${KILLS} times`, async () => {
    const cut = { beforeHandOut: 0, beforeDelivery: 0 };
    for (let round = 0; round < KILLS; round += 1) {
      for (let each = 0; each < EVENTS_A_ROUND; each += 1) await commit(`event ${round}.${each}`);
      await waitFor[round % waitFor.length]?.();
      await service().kill9();
      receiver.always = slowly;
      const left = await waiting();
      cut.beforeHandOut += Number(left.events > 0);
      cut.beforeDelivery += Number(left.deliveries > 0);
      // Half a minute later by the database's clock, so that the next process need not wait for the leases of this one.
      await database.knex('leases').delete();
      await service().start();
    }
    const written: { uid: string }[] = await database.knex('outbox_events').select('uid');
    const uids = new Set(written.map(({ uid }) => uid));
    expect(uids.size).toBe(KILLS * EVENTS_A_ROUND);
    await eventually('every event has arrived', ARRIVED_WITHIN_MS, async () => {
      return [...uids].every((uid) => answered.has(uid)) || undefined;
    });
    expect(cut.beforeHandOut).toBeGreaterThan(0);
    expect(cut.beforeDelivery).toBeGreaterThan(0);
    const strangers = receiver.ids.filter((id) => !uids.has(id));
    expect(strangers).toEqual([]);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
    process.stderr.write(
      `${KILLS} kills: ${cut.beforeHandOut} before the hand-out, ${cut.beforeDelivery} before a delivery; ${uids.size} events arrived in ${receiver.ids.length} requests\n`,
    );
  });
});
