import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE } from '../../../src/domain/base/instant.ts';
import type { RawTiming } from '../../../src/domain/events/channels/channel-timing.ts';
import type { Severity } from '../../../src/domain/events/event.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { type Messaging, messagingOf } from '../../support/messaging.ts';
import { answers, Receiver } from '../../support/receiver.ts';
import { type Kept, sceneDatabase } from '../../support/scene-database.ts';

/** In Berlin it is an hour later. */
const at = (time: string, day = 23): Instant => Date.parse(`2026-11-${day}T${time}:00Z`);
const TAKEN = answers(200, {}, '{"id":"x"}');
const NEVER = new AbortController().signal;

interface Message {
  readonly title: string;
  readonly message: string;
  readonly priority: number;
}

describe('A channel with', () => {
  let clock: FakeClock;
  let service: Messaging;
  let receiver: Receiver;
  let kept: Kept;
  beforeEach(async () => {
    clock = new FakeClock(at('20:00'));
    const stores = sceneDatabase(clock);
    kept = stores.kept;
    service = messagingOf(stores, clock);
    receiver = new Receiver('');
    receiver.always = TAKEN;
    const server = `http://127.0.0.1:${await receiver.listen()}`;
    const values = { server, topic: 'drover' };
    await service.manageChannels.add(service.operator, {
      name: 'phone',
      kind: 'ntfy',
      values,
      allowPrivate: true,
    });
  });
  afterEach(async () => {
    service.poster.close();
    await receiver.close();
  });

  const timed = (timing: RawTiming) => service.manageChannels.edit(service.operator, 'phone', timing);
  const sent = (): readonly Message[] => receiver.received.map(({ body }) => JSON.parse(body) as Message);
  /** An event at a time, handed out and sent if it does not wait. */
  async function tell(time: Instant, title: string, severity: Severity = 'warning'): Promise<void> {
    clock.set(time);
    await service.tell({ type: 'backup.stale', title, severity });
    await service.look();
  }
  async function lookAt(time: Instant): Promise<readonly Message[]> {
    clock.set(time);
    await service.look();
    return sent();
  }

  const NIGHT = { quietFrom: '22:00', quietUntil: '07:00', timeZone: 'Europe/Berlin' } as const;

  it('quiet hours holds messages, and sends them as one at their end', async () => {
    await timed(NIGHT);
    await tell(at('20:59'), 'in the evening');
    expect(sent().map(({ title }) => title)).toEqual(['in the evening']);
    await tell(at('21:00'), 'at night');
    await tell(at('02:00', 24), 'later at night', 'info');
    expect(await lookAt(at('05:59', 24))).toHaveLength(1);
    const [, digest, ...others] = await lookAt(at('06:00', 24));
    expect(others).toEqual([]);
    expect(digest?.title).toBe('2 events: 1 warning, 1 info');
    expect(digest?.message.split('\n')).toEqual(['warning: at night', 'later at night']);
    expect(kept.rows('SELECT status FROM deliveries')).toEqual(
      [1, 2, 3].map(() => ({ status: 'delivered' })),
    );
  });

  it('quiet hours sends a single held message as it is', async () => {
    await timed(NIGHT);
    await tell(at('23:00'), 'at night');
    expect((await lookAt(at('06:00', 24))).map(({ title }) => title)).toEqual(['at night']);
  });

  it('quiet hours lets critical events pass, unless they may not', async () => {
    await timed(NIGHT);
    await tell(at('23:00'), 'urgent', 'critical');
    expect(sent().map(({ title }) => title)).toEqual(['urgent']);
    await timed({ criticalAtOnce: false });
    await tell(at('23:10'), 'urgent again', 'critical');
    expect(sent()).toHaveLength(1);
    expect(await lookAt(at('06:00', 24))).toHaveLength(2);
  });

  it('quiet hours holds a retry, too', async () => {
    await timed(NIGHT);
    receiver.always = answers(503);
    await tell(at('20:59'), 'in the evening');
    receiver.always = TAKEN;
    expect(await lookAt(at('21:10'))).toHaveLength(1);
    expect((await lookAt(at('06:00', 24))).map(({ title }) => title)).toEqual([
      'in the evening',
      'in the evening',
    ]);
  });

  it('quiet hours sends a test, and what is sent again, immediately', async () => {
    await timed(NIGHT);
    clock.set(at('23:00'));
    await service.manageDeliveries.pingChannel(service.operator, 'phone', NEVER);
    expect(sent()).toHaveLength(1);
    await tell(at('23:05'), 'at night');
    const { items } = await service.manageDeliveries.list(service.operator, {
      channel: 'phone',
      limit: 1,
      offset: 0,
    });
    const resent = await service.manageDeliveries.resend(service.operator, items[0]?.id ?? 0, NEVER);
    expect(resent.status).toBe('delivered');
    expect(sent().at(-1)?.title).toBe('at night');
  });

  it('an hourly digest sends one message an hour, the gravest severity first', async () => {
    await timed({ digest: 'hour', criticalAtOnce: false });
    await tell(at('20:05'), 'one', 'info');
    await tell(at('20:15'), 'two', 'critical');
    await tell(at('20:55'), 'three');
    expect(sent()).toEqual([]);
    const [digest, ...others] = await lookAt(at('21:00'));
    expect(others).toEqual([]);
    expect(digest).toMatchObject({ title: '3 events: 1 critical, 1 warning, 1 info', priority: 5 });
    expect(digest?.message.split('\n')).toEqual(['critical: two', 'warning: three', 'one']);
    expect(await lookAt(at('22:00'))).toHaveLength(1);
  });

  it('a daily digest waits for its time, and for the end of quiet hours', async () => {
    await timed({ ...NIGHT, digest: 'day', digestAt: '06:30' });
    await tell(at('12:00'), 'one');
    await tell(at('13:00'), 'two');
    // 06:30 in Berlin is within the quiet hours.
    expect(await lookAt(at('05:30', 24))).toEqual([]);
    expect(await lookAt(at('06:00', 24))).toHaveLength(1);
  });

  it('a digest is tried again as one message, and nothing is counted twice', async () => {
    await timed({ digest: 'hour' });
    await tell(at('20:05'), 'one');
    await tell(at('20:15'), 'two');
    receiver.always = answers(503);
    expect(await lookAt(at('21:00'))).toHaveLength(1);
    receiver.always = TAKEN;
    await tell(at('21:00') + MINUTE, 'three');
    const messages = await lookAt(at('21:02'));
    expect(messages.map(({ title }) => title)).toEqual(['2 events: 2 warning', '2 events: 2 warning']);
    const rows = kept.rows('SELECT status, attempts FROM deliveries ORDER BY id');
    expect(rows).toEqual([
      { status: 'delivered', attempts: 2 },
      { status: 'delivered', attempts: 2 },
      { status: 'pending', attempts: 0 },
    ]);
  });

  it('a digest counts the events that do not fit', async () => {
    await timed({ digest: 'hour' });
    for (let event = 1; event <= 40; event += 1) await tell(at('20:05'), `event ${event} ${'x'.repeat(100)}`);
    const [digest] = await lookAt(at('21:00'));
    const lines = digest?.message.split('\n') ?? [];
    expect(digest?.message.length).toBeLessThanOrEqual(1_000);
    expect(lines.at(-1)).toBe(`and ${40 - (lines.length - 1)} more events, which Drover lists`);
    expect(digest?.title).toBe('40 events: 40 warning');
  });

  it('another timing decides again how long messages wait', async () => {
    await timed({ digest: 'day', digestAt: '07:00' });
    await tell(at('20:05'), 'one');
    clock.set(at('20:10'));
    await timed({ digest: 'none' });
    expect((await lookAt(at('20:10'))).map(({ title }) => title)).toEqual(['one']);
  });

  it('quiet hours keeps to the clocks of its zone when these change', async () => {
    // Clocks went back on 25 October 2026: Berlin was two hours ahead before.
    await timed(NIGHT);
    const before = Date.parse('2026-10-24T20:00:00Z');
    await tell(before, 'before');
    expect(await lookAt(Date.parse('2026-10-25T06:00:00Z') - MINUTE)).toEqual([]);
    expect(await lookAt(before + 10 * HOUR)).toHaveLength(1);
  });
});
