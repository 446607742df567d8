import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id: string;
}

/** A client of server-sent events, like a browser's: it remembers the last id, and sends it when it reconnects. */
export class EventClient {
  readonly events: ServerEvent[] = [];
  lastEventId = '';
  beats = 0;
  ended = false;
  response: IncomingMessage | null = null;
  readonly #address: string;
  readonly #cookie: string;
  #request: ClientRequest | null = null;

  constructor(address: string, cookie: string) {
    this.#address = address;
    this.#cookie = cookie;
  }

  /** Resolves with the status once the reply has started. */
  connect(): Promise<number> {
    this.ended = false;
    return new Promise((resolve, reject) => {
      const headers = {
        Accept: 'text/event-stream',
        Cookie: this.#cookie,
        ...(this.lastEventId === '' ? {} : { 'Last-Event-ID': this.lastEventId }),
      };
      this.#request = get(this.#address, { headers, agent: false }, (response) => {
        this.response = response;
        resolve(response.statusCode ?? 0);
        this.#read(response);
      });
      this.#request.on('error', reject);
    });
  }

  /** Cuts the connection wherever it is. */
  cut(): void {
    this.#request?.destroy();
  }

  /** Data of the events of that name. */
  of(event: string): readonly unknown[] {
    return this.events.filter((each) => each.event === event).map(({ data }) => data);
  }

  #read(response: IncomingMessage): void {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const messages = (rest + chunk).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#take(message);
    });
    response.on('close', () => {
      this.ended = true;
    });
    response.on('error', () => {});
  }

  /** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
  #take(message: string): void {
    const field = (name: string): string | undefined =>
      message
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    if (message.startsWith(':')) this.beats += 1;
    this.lastEventId = field('id') ?? this.lastEventId;
    const data = field('data');
    if (data === undefined) return;
    this.events.push({ event: field('event') ?? 'message', data: JSON.parse(data), id: this.lastEventId });
  }
}
