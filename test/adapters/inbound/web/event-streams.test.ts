import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { EventStreams } from '../../../../src/adapters/inbound/web/event-streams.ts';
import type { Visitor } from '../../../../src/application/access/sessions.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';

const visitor = (id: number) => ({ user: { id } }) as Visitor;
const forever = () => new Promise<void>(() => {});

function open() {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const streams = new EventStreams({ clock, logger, limits: { perPerson: 2, inAll: 3 } });
  const begin = (
    person: number,
    follow: Parameters<EventStreams['begin']>[2]['follow'] = forever,
    kind = 'log',
  ) => {
    const ctx = { status: 0, body: undefined as unknown, set: () => {} };
    streams.begin(ctx as never, visitor(person), {
      kind,
      follow,
      resume: async () => visitor(person),
    });
    return ctx;
  };
  return { clock, logger, streams, begin };
}

const textOf = (body: unknown): string => (body as PassThrough).read()?.toString() ?? '';

describe('Streams of events', () => {
  test('are limited in total: one more is refused until another ends', () => {
    const { begin, streams } = open();
    const first = begin(1);
    expect([begin(1).status, begin(2).status]).toEqual([200, 200]);
    expect(begin(3).status).toBe(503);
    (first.body as PassThrough).destroy();
    return new Promise<void>((resolve) => (first.body as PassThrough).once('close', resolve)).then(() => {
      expect(begin(3).status).toBe(200);
      streams.close();
      expect(begin(4).status).toBe(503);
    });
  });

  test('are limited per user: the oldest gets the reason why it ends', () => {
    const { begin } = open();
    const first = begin(1);
    begin(1);
    expect(begin(1).status).toBe(200);
    expect(textOf(first.body)).toContain('event: over\ndata: {"why":"another_page"}');
  });

  test('of one kind end no others', () => {
    const { begin } = open();
    const log = begin(1);
    begin(1);
    expect(begin(1, forever, 'changes').status).toBe(200);
    expect(textOf(log.body)).not.toContain('over');
  });

  test('wait for slow readers, and buffer no more than a little', async () => {
    const { begin } = open();
    let sent = 0;
    const { body } = begin(1, async (sink, signal) => {
      while (!signal.aborted && sent < 1_000) {
        await sink.send('log', { text: 'x'.repeat(10_000) }, `${sent}-0`);
        sent += 1;
      }
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(10);
    const stream = body as PassThrough;
    stream.resume();
    await new Promise((resolve) => stream.once('end', resolve));
    expect(sent).toBe(1_000);
  });

  test('end where what they follow fails, which is logged', async () => {
    const { begin, logger } = open();
    const stream = begin(1, () => Promise.reject(new Error('no database'))).body as PassThrough;
    stream.resume();
    await new Promise((resolve) => stream.once('end', resolve));
    expect(JSON.stringify(logger.lines)).toContain('stopped updating a page');
  });
});
