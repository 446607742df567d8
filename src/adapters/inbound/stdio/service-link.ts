import { type Contact, contactOf, Refused } from './contact.ts';
import type { RestRequest } from './rest-request.ts';
import { CallFailure, type RestReply, type ServiceClient } from './service-client.ts';

/** Times in milliseconds. */
const FIRST_PAUSE = 500;
const MAX_PAUSE = 15_000;
/** How long the service's answer is cached; a token's scopes may change at any time. */
const FRESH = 5_000;
/** Clients give a server some ten seconds to start: by then they want an answer, be it an error. */
const PATIENCE = 4_000;

export interface ServiceLinkDeps {
  readonly client: Pick<ServiceClient, 'send' | 'url'>;
  /** Tells the operator something, in one line. */
  readonly say: (line: string) => void;
}

/**
 * The state of the service: its identity, the token's rights, and whether it is reachable. Reports when the service
 * becomes unreachable and when it is back, once each.
 */
export class ServiceLink {
  readonly #client: ServiceLinkDeps['client'];
  readonly #say: ServiceLinkDeps['say'];
  readonly #ended = new AbortController();
  #latest: Contact | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<Contact> | null = null;
  #away = false;

  constructor({ client, say }: ServiceLinkDeps) {
    this.#client = client;
    this.#say = say;
  }

  /** The service's last answer; `null` before the first contact. */
  get latest(): Contact | null {
    return this.#latest;
  }

  /**
   * Asks until the service is reached for the first time. Throws `Refused`. Resolves with `null` where `close` came
   * first.
   */
  async first(): Promise<Contact | null> {
    for (let pause = FIRST_PAUSE; !this.#ended.signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE)) {
      try {
        return await this.#ask();
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
      }
      await this.#pause(pause);
    }
    return null;
  }

  /**
   * The service's current or recent answer; the last one while it is unreachable. Throws `CallFailure` if it was
   * never reached, and `Refused`.
   */
  async contact(patience = PATIENCE): Promise<Contact> {
    if (this.#latest !== null && performance.now() - this.#askedAt < FRESH) return this.#latest;
    try {
      return await inTime(this.#ask(), patience, this.#client.url);
    } catch (error) {
      if (!(error instanceof CallFailure) || this.#latest === null) throw error;
      return this.#latest;
    }
  }

  /** Sends a request, and notes whether the service is there. */
  async send(request: RestRequest, signal: AbortSignal): Promise<RestReply> {
    try {
      const reply = await this.#client.send(request, signal);
      this.#back();
      // The cached rights of the token are outdated.
      if (reply.status === 401 || reply.status === 403) this.#askedAt = Number.NEGATIVE_INFINITY;
      return reply;
    } catch (error) {
      if (error instanceof CallFailure) this.#lost(error);
      throw error;
    }
  }

  /** Settles once a question on its way has its answer, whichever, or takes too long. */
  async asked(): Promise<void> {
    if (this.#asking === null || this.#ended.signal.aborted) return;
    await inTime(this.#asking, PATIENCE, this.#client.url).catch(() => {});
  }

  /** Stops asking. */
  close(): void {
    this.#ended.abort();
  }

  /** One request at a time, shared by all callers. */
  #ask(): Promise<Contact> {
    this.#asking ??= this.#askNow().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askNow(): Promise<Contact> {
    try {
      const contact = contactOf(await this.send({ method: 'GET', path: '' }, this.#ended.signal));
      this.#latest = contact;
      this.#askedAt = performance.now();
      return contact;
    } catch (error) {
      if (error instanceof CallFailure && this.#isLasting(error))
        throw new Refused(error.code, error.message);
      throw error;
    }
  }

  /** If the service was never reached, waiting does not fix these: the user has to check the configuration. */
  #isLasting({ code }: CallFailure): boolean {
    return this.#latest === null && (code === 'service_not_trusted' || code === 'reply_not_understood');
  }

  #lost(failure: CallFailure): void {
    const isKnown = this.#away || this.#isLasting(failure);
    if (isKnown || failure.code === 'cancelled' || failure.code === 'reply_too_large') return;
    this.#away = true;
    this.#say(failure.message);
  }

  #back(): void {
    if (!this.#away) return;
    this.#away = false;
    this.#say(`The service at ${this.#client.url} answers again.`);
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#ended;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

async function inTime(asked: Promise<Contact>, patience: number, url: string): Promise<Contact> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const failure = new CallFailure(
      'service_unreachable',
      `The service at ${url} has not answered yet. Try again in a moment.`,
    );
    timer = setTimeout(() => reject(failure), patience);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
