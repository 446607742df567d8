import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { recordChange } from '../../src/adapters/outbound/storage/sql/stores/record-change.ts';
import type { DomainEvent } from '../../src/domain/events/event.ts';
import { eventually } from '../support/processes.ts';
import { type Behaviour, Receiver } from '../support/receiver.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/service.ts';

const KILLS = rounds(2, 40);
const EVENTS_A_ROUND = 3;
const MAX_LIFE_MS = 2_500;
const ARRIVED_WITHIN_MS = 120_000;
const MINUTE_MS = 60_000;

/** How a service answers a message that it takes. Pushover has a fixed address, and is left out. */
const ANSWERS = {
  ntfy: '{"id":"hwQ2YpKdmg"}',
  gotify: '{"id":25}',
  slack: 'ok',
  slackbot: '{"ok":true,"channel":"C123ABC456","ts":"1503435956.000247"}',
  discord: '{"id":"1234567890123456789"}',
  telegram: '{"ok":true,"result":{"message_id":11}}',
  matrix: '{"event_id":"$YUwRidLecu:example.com"}',
  teams: '1',
  apprise: '{"error":null}',
  // Messages of quiet hours come to it as one.
  night: '{"event_id":"$YUwRidLecu:example.com"}',
} as const;
type Name = keyof typeof ANSWERS;
const NAMES = Object.keys(ANSWERS) as readonly Name[];

const matrix = (url: string): readonly string[] => [
  'matrix',
  '--set',
  'room=!a:example.org',
  '--set',
  `server=${url}`,
  '--set-file',
  'token=-',
];

const settings = (url: string, from: string, until: string): Readonly<Record<Name, readonly string[]>> => ({
  ntfy: ['ntfy', '--set', `server=${url}`, '--set-file', 'topic=-'],
  gotify: ['gotify', '--set', `server=${url}`, '--set-file', 'token=-'],
  slack: ['slack', '--set-file', 'url=-'],
  slackbot: ['slack', '--set', 'channel=#ops', '--set', `server=${url}`, '--set-file', 'token=-'],
  discord: ['discord', '--set-file', 'url=-'],
  telegram: ['telegram', '--set', 'chat=1', '--set', `server=${url}`, '--set-file', 'token=-'],
  matrix: matrix(url),
  teams: ['teams', '--set-file', 'url=-'],
  apprise: ['apprise', '--set', `server=${url}`, '--set-file', 'key=-'],
  night: [...matrix(url), '--quiet', `${from}-${until}`, '--no-critical-at-once'],
});

const secretOf = (name: Name, url: string): string => {
  if (name === 'slackbot') return 'xoxb-1234567890-abcdef';
  if (name === 'telegram') return '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
  return name === 'slack' || name === 'discord' || name === 'teams' ? `${url}/hook/1` : 'secret-1';
};

/** The titles of events in a message, however it is encoded. */
const titlesIn = (body: string): readonly string[] =>
  [...body.matchAll(/event (\d{1,4})x(\d{1,4})/g)].map(([title]) => title);

describe('kill -9 of the service while channels send', () => {
  const service = useService(() => ({ settings: { SERVICE_WEBHOOK_ALLOW_PRIVATE: '1' } }));
  const receivers = new Map<Name, Receiver>();
  const answered = new Map<string, string[]>();
  let database: Database;
  let mail: SMTPServer;
  /** The start of the quiet hours, in whole minutes of UTC. */
  const began = Date.now() - MINUTE_MS;
  const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const take = (name: string, body: string): void =>
    void answered.set(name, [...(answered.get(name) ?? []), ...titlesIn(body)]);

  /** Answers after a while, and refuses one message in four. */
  const behaviourOf =
    (name: Name): Behaviour =>
    (_, response) => {
      const body = receivers.get(name)?.received.at(-1)?.body ?? '';
      setTimeout(() => {
        if (response.destroyed) return;
        const isTaken = Math.random() >= 0.25;
        if (isTaken) take(name, body);
        if (isTaken) response.writeHead(name === 'teams' ? 202 : 200).end(ANSWERS[name]);
        else response.writeHead(503).end();
      }, Math.random() * 150);
    };

  beforeAll(async () => {
    mail = new SMTPServer({
      authOptional: true,
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
        stream.on('end', () => {
          take('mail', Buffer.concat(chunks).toString());
          done();
        });
      },
    });
    mail.on('error', () => {});
    await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve));
    for (const name of NAMES) {
      const receiver = new Receiver('');
      receivers.set(name, receiver);
      receiver.always = behaviourOf(name);
      const url = `http://127.0.0.1:${await receiver.listen()}`;
      const options = settings(url, clock(began), clock(began + 360 * MINUTE_MS))[name];
      const input = `${secretOf(name, url)}\n`;
      const { code, stderr } = await service().cli(['channel', 'add', name, '--kind', ...options], { input });
      if (code !== 0) throw new Error(stderr);
    }
    const port = (mail.server.address() as AddressInfo).port;
    const of = ['host=127.0.0.1', 'security=none', `port=${port}`, 'from=a@example.org', 'to=b@example.org'];
    const add = ['channel', 'add', 'mail', '--kind', 'email', ...of.flatMap((each) => ['--set', each])];
    await service().ask(z.object({ name: z.literal('mail') }), add);
    database = openDatabase({ url: null, dataDir: service().dataDir });
  });
  afterAll(async () => {
    await database.close();
    for (const receiver of receivers.values()) await receiver.close();
    await new Promise<void>((resolve) => mail.close(() => resolve()));
  });

  async function commit(title: string, problem: string): Promise<void> {
    const event: DomainEvent = {
      type: 'job.failed',
      at: Date.now(),
      severity: 'critical',
      title,
      message: 'It happened.',
      serverId: null,
      jobId: null,
      problem,
    };
    await database.transaction((trx) => recordChange(trx, { events: [event] }));
  }
  const countOf = async (table: string, where: object): Promise<number> =>
    ((await database.knex(table).where(where).count({ total: '*' }).first()) as { total: number }).total;

  it(`loses no message of any channel, ${KILLS} times`, async () => {
    let cut = 0;
    for (let round = 0; round < KILLS; round += 1) {
      for (let each = 0; each < EVENTS_A_ROUND; each += 1)
        await commit(`event ${round}x${each}`, `backup.stale:${round % 5}`);
      await sleep(Math.random() * MAX_LIFE_MS);
      await service().kill9();
      cut += Number((await countOf('deliveries', { status: 'pending' })) > 0);
      // As if half a minute passed: the next process need not wait for the leases of this one.
      await database.knex('leases').delete();
      await service().start();
    }
    const events = KILLS * EVENTS_A_ROUND;
    expect(answered.get('night')).toBeUndefined();
    const end = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS;
    await sleep(end - Date.now());
    const edit = ['channel', 'edit', 'night', '--quiet', `${clock(began)}-${clock(end)}`];
    await service().ask(z.object({ name: z.literal('night') }), edit);
    await eventually('every message has arrived', ARRIVED_WITHIN_MS, async () => {
      // Refused messages are tried again after minutes: the test does not wait for that.
      const now = Date.now();
      await database
        .knex('deliveries')
        .where({ status: 'pending' })
        .where('due_at', '>', now)
        .update({ due_at: now });
      await sleep(500);
      return (await countOf('deliveries', { status: 'pending' })) === 0 || undefined;
    });
    expect(await countOf('deliveries', { status: 'delivered' })).toBe(events * (NAMES.length + 1));
    for (const name of [...NAMES, 'mail'])
      expect([name, new Set(answered.get(name)).size]).toEqual([name, events]);
    expect(cut).toBeGreaterThan(0);
    const digests = receivers.get('night')?.received.filter(({ body }) => titlesIn(body).length > 1) ?? [];
    expect(digests.length).toBeGreaterThan(0);
    // Later messages about a problem replaced the first one.
    const replaced = receivers.get('discord')?.received.filter(({ method }) => method === 'PATCH') ?? [];
    expect(replaced.length).toBeGreaterThan(0);
    const requests = [...receivers.values()].reduce((sum, { received }) => sum + received.length, 0);
    process.stderr.write(
      `${KILLS} kills, ${cut} with pending deliveries: ${events} events arrived at ${NAMES.length + 1} channels in ${requests} requests, ${digests.length} of them digests; ${replaced.length} of those to Discord replaced a message\n`,
    );
  });
});
