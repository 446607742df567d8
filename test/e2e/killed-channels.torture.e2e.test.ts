import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { MqttBroker } from '../../src/adapters/outbound/notifications/mqtt-broker.ts';
import { type Database, openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { recordChange } from '../../src/adapters/outbound/storage/sql/stores/record-change.ts';
import type { BrokerConnection } from '../../src/application/ports/events/message-broker.ts';
import type { DomainEvent } from '../../src/domain/events/event.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { fakeHostKey } from '../fakes/fake-host-key.ts';
import { describeWith } from '../support/capabilities.ts';
import { BROKER_LOGIN, BROKER_PASSWORD, Mosquitto } from '../support/mosquitto.ts';
import { eventually } from '../support/processes.ts';
import { PushoverHere } from '../support/pushover.ts';
import { type Behaviour, Receiver } from '../support/receiver.ts';
import { rounds } from '../support/rounds.ts';
import { useService } from '../support/service.ts';
import { sqlStores } from '../support/sql-stores.ts';

const KILLS = rounds(2, 40);
const EVENTS_A_ROUND = 3;
const MAX_LIFE_MS = 2_500;
const ARRIVED_WITHIN_MS = 120_000;
const MINUTE_MS = 60_000;

const PUSHOVER_ID = 'azGDORePK8gMaC0QOYAMyEEuzJnyUi';

/** How a service answers a message that it takes. */
const ANSWERS = {
  ntfy: '{"id":"hwQ2YpKdmg"}',
  gotify: '{"id":25}',
  slack: 'ok',
  slackbot: '{"ok":true,"channel":"C123ABC456","ts":"1503435956.000247"}',
  discord: '{"id":"1234567890123456789"}',
  telegram: '{"ok":true,"result":{"message_id":11}}',
  matrix: '{"event_id":"$YUwRidLecu:example.com"}',
  teams: '1',
  pushover: '{"status":1,"request":"647d2300-702c-4b38-8b2f-d56326ae460b"}',
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

const settings = (
  url: string,
  [from, until]: readonly [string, string],
  userKey: string,
): Readonly<Record<Name, readonly string[]>> => ({
  ntfy: ['ntfy', '--set', `server=${url}`, '--set-file', 'topic=-'],
  gotify: ['gotify', '--set', `server=${url}`, '--set-file', 'token=-'],
  slack: ['slack', '--set-file', 'url=-'],
  slackbot: ['slack', '--set', 'channel=#ops', '--set', `server=${url}`, '--set-file', 'token=-'],
  discord: ['discord', '--set-file', 'url=-'],
  telegram: ['telegram', '--set', 'chat=1', '--set', `server=${url}`, '--set-file', 'token=-'],
  matrix: matrix(url),
  teams: ['teams', '--set-file', 'url=-'],
  pushover: ['pushover', '--set-file', `user=${userKey}`, '--set-file', 'token=-'],
  apprise: ['apprise', '--set', `server=${url}`, '--set-file', 'key=-'],
  night: [...matrix(url), '--quiet', `${from}-${until}`, '--no-critical-at-once'],
});

const secretOf = (name: Name, url: string): string => {
  if (name === 'slackbot') return 'xoxb-1234567890-abcdef';
  if (name === 'telegram') return '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
  if (name === 'pushover') return PUSHOVER_ID;
  return name === 'slack' || name === 'discord' || name === 'teams' ? `${url}/hook/1` : 'secret-1';
};

const byNumber = (one: number, other: number): number => one - other;

/** The titles of events in a message, however it is encoded. */
const titlesIn = (body: string): readonly string[] =>
  [...body.matchAll(/event[ +](\d{1,4}x\d{1,4})/g)].map(([, title = '']) => title);

describeWith('mosquitto', 'kill -9 of the service while channels send', () => {
  const service = useService(async () => {
    pushover = await PushoverHere.start(await receiverOf('pushover').listen());
    return { settings: { SERVICE_WEBHOOK_ALLOW_PRIVATE: '1', ...pushover.settings } };
  });
  const receivers = new Map<Name, Receiver>();
  const answered = new Map<string, string[]>();
  let database: Database;
  let pushover: PushoverHere;
  let mosquitto: Mosquitto;
  /** What Home Assistant reads from the broker. */
  let home: BrokerConnection;
  const devices = new Map<string, string>();
  let timesOnline = 0;
  let mail: SMTPServer;
  /** The start of the quiet hours, in whole minutes of UTC. */
  const began = Date.now() - MINUTE_MS;
  const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const take = (name: string, body: string): void =>
    void answered.set(name, [...(answered.get(name) ?? []), ...titlesIn(body)]);

  const receiverOf = (name: Name): Receiver => {
    const receiver = receivers.get(name) ?? new Receiver('');
    receivers.set(name, receiver);
    receiver.always = behaviourOf(name);
    return receiver;
  };

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
    const userKey = join(service().dataDir, 'pushover-user');
    await writeFile(userKey, PUSHOVER_ID);
    for (const name of NAMES) {
      // That one listens since before the service.
      const port = name === 'pushover' ? 0 : await receiverOf(name).listen();
      const url = `http://127.0.0.1:${port}`;
      const quiet = [clock(began), clock(began + 360 * MINUTE_MS)] as const;
      const options = settings(url, quiet, userKey)[name];
      const input = `${secretOf(name, url)}\n`;
      const { code, stderr } = await service().cli(['channel', 'add', name, '--kind', ...options], { input });
      if (code !== 0) throw new Error(stderr);
    }
    const port = (mail.server.address() as AddressInfo).port;
    const of = ['host=127.0.0.1', 'security=none', `port=${port}`, 'from=a@example.org', 'to=b@example.org'];
    const add = ['channel', 'add', 'mail', '--kind', 'email', ...of.flatMap((each) => ['--set', each])];
    await service().ask(z.object({ name: z.literal('mail') }), add);
    await connectHome();
    database = openDatabase({ url: null, dataDir: service().dataDir });
  });
  afterAll(async () => {
    await home.close();
    await mosquitto.remove();
    await pushover.close();
    await database.close();
    for (const receiver of receivers.values()) await receiver.close();
    await new Promise<void>((resolve) => mail.close(() => resolve()));
  });

  /** Home Assistant at a broker, which shows states and gets no messages. */
  async function connectHome(): Promise<void> {
    mosquitto = await Mosquitto.start();
    const { port } = mosquitto;
    const login = { login: BROKER_LOGIN, password: BROKER_PASSWORD };
    home = await new MqttBroker({ allowPrivate: true }).connect(
      { host: '127.0.0.1', port, isEncrypted: false, ...login, allowPrivate: true },
      {
        clientId: 'home-assistant',
        topics: ['homeassistant/device/+/config', 'drover/status'],
        onMessage: ({ topic, payload }) => {
          const server = /drover_server_(\d+)/.exec(topic)?.[1];
          if (server !== undefined) devices.set(server, payload);
          if (topic === 'drover/status') timesOnline += Number(payload === 'online');
        },
      },
      new AbortController().signal,
    );
    const of = ['host=127.0.0.1', `port=${port}`, 'security=none', `login=${BROKER_LOGIN}`];
    const set = of.flatMap((each) => ['--set', each]);
    const add = ['channel', 'add', 'home', '--kind', 'mqtt', ...set, '--set-file', 'password=-'];
    const { code, stderr } = await service().cli(add, { input: `${BROKER_PASSWORD}\n` });
    if (code !== 0) throw new Error(stderr);
  }

  /** Each round has one server that the round before did not have, and lacks one that it had. */
  async function replaceServer(name: string, former: number | null): Promise<number> {
    const { servers } = sqlStores(database);
    const described = describeServer({ name, connection: 'ssh', hostname: `${name}.invalid` });
    const server = { ...described, address: { ...described.address, hostKey: fakeHostKey(name) } };
    if (former !== null) await servers.remove(former, Date.now(), {});
    return (await servers.add(server, Date.now(), () => ({}))).id;
  }

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
    let server: number | null = null;
    for (let round = 0; round < KILLS; round += 1) {
      for (let each = 0; each < EVENTS_A_ROUND; each += 1)
        await commit(`event ${round}x${each}`, `backup.stale:${round % 5}`);
      server = await replaceServer(`web-${round}`, server);
      await sleep(Math.random() * MAX_LIFE_MS);
      await service().kill9();
      cut += Number((await countOf('deliveries', { status: 'pending' })) > 0);
      // As if half a minute passed: the next process need not wait for the leases of this one.
      await database.knex('leases').delete();
      await service().start();
    }
    const events = KILLS * EVENTS_A_ROUND;
    await eventually('the broker has the servers of now, and no others', ARRIVED_WITHIN_MS, async () => {
      const rows = await database.knex('servers').where({ removed_at: null }).pluck('id');
      const shown = [...devices].filter(([, payload]) => payload !== '').map(([id]) => Number(id));
      return isDeepStrictEqual(shown.toSorted(byNumber), rows.toSorted(byNumber)) || undefined;
    });
    expect(devices.get(String(server))).toContain(`web-${KILLS - 1}`);
    await eventually(
      'the broker is told that the service is there',
      ARRIVED_WITHIN_MS,
      async () => timesOnline || undefined,
    );
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
