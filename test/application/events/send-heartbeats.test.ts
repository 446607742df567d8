import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SendHeartbeats } from '../../../src/application/events/send-heartbeats.ts';
import { MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { type Messaging, messagingOf } from '../../support/messaging.ts';
import { answers, Receiver } from '../../support/receiver.ts';
import { sceneDatabase } from '../../support/scene-database.ts';
import { AT } from '../../support/stores-subject.ts';

const NEVER = new AbortController().signal;

describe('A heartbeat', () => {
  let clock: FakeClock;
  let service: Messaging;
  let receiver: Receiver;
  let heartbeats: SendHeartbeats;
  beforeEach(async () => {
    clock = new FakeClock(AT);
    const stores = sceneDatabase(clock);
    service = messagingOf(stores, clock);
    receiver = new Receiver('');
    const url = `http://127.0.0.1:${await receiver.listen()}/ping/s3cret`;
    await service.manageChannels.add(service.operator, {
      name: 'pulse',
      kind: 'heartbeat',
      values: { url, minutes: '2' },
      allowPrivate: true,
    });
    const { channelSender, box, log } = service;
    heartbeats = new SendHeartbeats({ ...stores, channelSender, box, clock, log });
  });
  afterEach(async () => {
    service.poster.close();
    await receiver.close();
  });

  /** How often it was called in this time, with a look every 15 seconds. */
  const callsIn = async (ms: number): Promise<number> => {
    const before = receiver.received.length;
    for (let at = 0; at < ms; at += 15 * SECOND) {
      await heartbeats.execute(NEVER);
      await clock.advance(15 * SECOND);
    }
    return receiver.received.length - before;
  };

  it('is called at once, and then at its interval', async () => {
    expect(await callsIn(15 * SECOND)).toBe(1);
    expect(await callsIn(105 * SECOND)).toBe(0);
    expect(await callsIn(20 * MINUTE)).toBe(10);
    expect(receiver.received.map(({ method, path }) => `${method} ${path}`)).toContain('GET /ping/s3cret');
  });

  it('is not called while it is disabled, and is sent no events', async () => {
    await service.manageChannels.setEnabled(service.operator, 'pulse', false);
    expect(await callsIn(4 * MINUTE)).toBe(0);
    await service.manageChannels.setEnabled(service.operator, 'pulse', true);
    await service.tell();
    await service.handOut.execute(NEVER);
    await service.deliver.execute(NEVER);
    await service.deliver.settled();
    expect(receiver.received).toEqual([]);
  });

  it('is repeated if it is refused, which is logged once, without its URL', async () => {
    receiver.behave.push(answers(503, {}, ''), answers(503, {}, ''), answers(200, {}, 'OK'));
    expect(await callsIn(6 * MINUTE)).toBe(3);
    expect(service.log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
    expect(JSON.stringify(service.log.lines)).not.toContain('s3cret');
  });
});
