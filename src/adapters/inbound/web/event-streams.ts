import { PassThrough } from 'node:stream';
import type { Visitor } from '../../../application/access/sessions.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import type { HttpContext } from '../http/context.ts';

/** Events for a page that follows something (server-sent events). */
export interface EventSink {
  /** Resolves once there is room for more. `data` is sent as JSON; with an id the browser can go on from here. */
  send(event: string, data: unknown, id?: string): Promise<void>;
}

export type Follow = (sink: EventSink, signal: AbortSignal) => Promise<void>;

interface Limits {
  readonly perPerson: number;
  readonly inAll: number;
}

const LIMITS: Limits = { perPerson: 5, inAll: 200 };
/** How often the session is checked and a keep-alive is sent, so that both sides notice a lost connection. */
const BEAT_MS = 5 * SECOND;
/** How soon a browser reconnects. */
const RETRY_MS = 1_000;

interface Deps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Limits;
}

/** The event streams of all pages, with limits per user and in total. */
export class EventStreams {
  readonly #deps: Deps;
  readonly #limits: Limits;
  /** The oldest first. */
  readonly #open = new Set<{
    readonly person: number;
    readonly kind: string;
    readonly end: (why: string | null) => void;
  }>();
  #closed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? LIMITS;
  }

  /**
   * Streams what `follow` sends, until it returns, the browser disconnects, or `resume` finds that the session has
   * ended. Beyond the user's limit for a kind their oldest stream of it ends; beyond the total limit, none starts (503).
   */
  begin(
    ctx: HttpContext,
    visitor: Visitor,
    {
      kind,
      follow,
      resume,
    }: {
      readonly kind: string;
      readonly follow: Follow;
      readonly resume: () => Promise<Visitor | null>;
    },
  ): void {
    const own = [...this.#open].filter((each) => each.person === visitor.user.id && each.kind === kind);
    if (own.length >= this.#limits.perPerson) own[0]?.end('another_page');
    if (this.#closed || this.#open.size >= this.#limits.inAll) {
      ctx.status = 503;
      ctx.set('Retry-After', '10');
      ctx.body = '';
      return;
    }
    const body = new PassThrough();
    const over = new AbortController();
    const sink = sinkOn(body, over.signal);
    const stream = {
      person: visitor.user.id,
      kind,
      end: (why: string | null): void => {
        this.#open.delete(stream);
        if (why !== null && body.writable) body.write(frame('over', { why }));
        over.abort();
      },
    };
    this.#open.add(stream);
    body.once('close', () => stream.end(null));
    ctx.status = 200;
    ctx.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Proxies (nginx) must not buffer.
      'X-Accel-Buffering': 'no',
    });
    ctx.body = body;
    body.write(`retry: ${RETRY_MS}\n\n`);
    void this.#beat(body, over.signal, resume, stream.end);
    void this.#run(follow, sink, over.signal).finally(() => {
      stream.end(null);
      body.end();
    });
  }

  /** Ends all, and accepts no more: browsers reconnect when the service is back. */
  close(): void {
    this.#closed = true;
    for (const { end } of this.#open) end(null);
  }

  async #run(follow: Follow, sink: EventSink, signal: AbortSignal): Promise<void> {
    try {
      await follow(sink, signal);
    } catch (error) {
      // The browser reconnects, and gets the error then.
      if (!signal.aborted) this.#deps.logger.warn('stopped updating a page of the web UI', { error });
    }
  }

  async #beat(
    body: PassThrough,
    signal: AbortSignal,
    resume: () => Promise<Visitor | null>,
    end: (why: string) => void,
  ): Promise<void> {
    for (;;) {
      await this.#deps.clock.sleep(BEAT_MS, signal);
      if (signal.aborted) return;
      try {
        if ((await resume()) === null) {
          end('signed_out');
          return;
        }
      } catch (error) {
        this.#deps.logger.warn('could not check a session', { error });
        end('failed');
        return;
      }
      // Nothing more is sent to a client that does not read; the connection's own end is waited for.
      if (!body.writableNeedDrain) body.write(':\n\n');
    }
  }
}

/** Line breaks would end the message: JSON has none. */
const frame = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const sinkOn = (body: PassThrough, signal: AbortSignal): EventSink => ({
  async send(event, data, id) {
    if (signal.aborted) return;
    if (body.write(frame(event, data, id))) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        body.off('drain', go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      body.once('drain', go);
      signal.addEventListener('abort', go, { once: true });
    });
  },
});
