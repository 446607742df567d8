import { randomBytes } from 'node:crypto';
import type { Middleware } from 'koa';
import { DomainError } from '../../domain/base/errors.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import { needsCopy } from '../demo/demo-guest.ts';
import type { HttpContext, RequestState } from '../inbound/http/context.ts';
import { cookieOf } from '../inbound/web/session-cookie.ts';
import type { StaticFiles } from '../inbound/web/static-files.ts';

/** Visitors with their own copy of the demo, at most. */
const MAX_SESSIONS = 20;
/** Without a request for this long, a session ends. */
const IDLE_MS = 30 * MINUTE;
const COOKIE = 'drover-demo';

/** The demo as one visitor has changed it. */
export interface DemoCopy {
  readonly pages: Middleware<RequestState>;
  close(): Promise<void>;
}

interface Session {
  readonly world: DemoCopy;
  usedAt: number;
  requests: number;
}

interface Deps {
  readonly open: (secret: string, files: StaticFiles) => Promise<DemoCopy>;
  readonly now?: () => number;
  readonly maxSessions?: number;
}

/**
 * Gives each visitor who changes something a separate copy of the demo. The one that was used least recently makes room
 * for the next.
 */
export class DemoSessions {
  readonly #open: Deps['open'];
  readonly #now: () => number;
  readonly #max: number;
  readonly #sessions = new Map<string, Session>();
  #opening: Promise<unknown> = Promise.resolve();

  constructor({ open, now = Date.now, maxSessions = MAX_SESSIONS }: Deps) {
    this.#open = open;
    this.#now = now;
    this.#max = maxSessions;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Pages of the visitor's copy, or of the demo that all see. */
  pages(shared: Middleware<RequestState>, files: StaticFiles): Middleware<RequestState> {
    return async (ctx, next) => {
      const session = await this.#of(ctx, files);
      if (session === null) return shared(ctx, next);
      session.requests += 1;
      try {
        return await session.world.pages(ctx, next);
      } finally {
        session.requests -= 1;
        session.usedAt = this.#now();
      }
    };
  }

  async close(): Promise<void> {
    await this.#opening.catch(() => undefined);
    await Promise.all([...this.#sessions.keys()].map((secret) => this.#end(secret)));
  }

  async #of(ctx: HttpContext, files: StaticFiles): Promise<Session | null> {
    await this.#expire();
    const known = this.#sessions.get(cookieOf(ctx, COOKIE) ?? '');
    if (known) return known;
    if (ctx.method !== 'POST' || !needsCopy(ctx.path) || ctx.get('Sec-Fetch-Site') === 'cross-site')
      return null;
    // One at a time: each copies the database.
    const opening = this.#opening.catch(() => undefined).then(() => this.#begin(ctx, files));
    this.#opening = opening;
    return opening;
  }

  /** Throws `rate_limited` if all copies are answering: what all visitors see is never changed instead. */
  async #begin(ctx: HttpContext, files: StaticFiles): Promise<Session> {
    if (this.#sessions.size >= this.#max) {
      const idle = [...this.#sessions].filter(([, { requests }]) => requests === 0);
      const [oldest] = idle.toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
      if (!oldest) {
        throw new DomainError('rate_limited', 'Too many visitors are using the demo; try again in a moment.');
      }
      await this.#end(oldest[0]);
    }
    const secret = randomBytes(24).toString('base64url');
    const session = { world: await this.#open(secret, files), usedAt: this.#now(), requests: 0 };
    this.#sessions.set(secret, session);
    ctx.append(
      'Set-Cookie',
      `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${IDLE_MS / 1_000}`,
    );
    return session;
  }

  async #expire(): Promise<void> {
    const before = this.#now() - IDLE_MS;
    const old = [...this.#sessions].filter(([, { usedAt, requests }]) => requests === 0 && usedAt < before);
    for (const [secret] of old) await this.#end(secret);
  }

  async #end(secret: string): Promise<void> {
    const session = this.#sessions.get(secret);
    this.#sessions.delete(secret);
    await session?.world.close();
  }
}
