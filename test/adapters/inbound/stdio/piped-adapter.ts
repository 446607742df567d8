import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { StdioAdapter } from '../../../../src/adapters/inbound/stdio/adapter.ts';
import { ServiceClient } from '../../../../src/adapters/inbound/stdio/service-client.ts';

export interface PipedOptions {
  readonly url: string;
  readonly token: string;
  readonly ca?: string;
  readonly version?: string;
}

/** A received message, and its content. */
export interface Said {
  readonly text: string;
  // Messages are checked member by member.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

/** The `_meta` that every request of the modern era carries. */
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The stdio adapter within this process, on two streams in memory; over a real connection to the service. */
export class PipedAdapter {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  /** Its messages to the operator. */
  readonly log: string[] = [];
  /** All that came out, in order. */
  readonly said: Said[] = [];
  /** Whether the service would have the token. */
  readonly ended: Promise<boolean>;
  readonly adapter: StdioAdapter;
  readonly #client: ServiceClient;
  #lastId = 0;

  constructor({ url, token, ca, version = VERSION }: PipedOptions) {
    this.#client = new ServiceClient({ url, token, ca: ca ?? null, userAgent: 'test' });
    this.adapter = new StdioAdapter({
      input: this.input,
      output: this.output,
      client: this.#client,
      version,
      say: (line) => this.log.push(line),
    });
    createInterface({ input: this.output }).on('line', (text) => {
      this.said.push({ text, json: JSON.parse(text) });
      this.output.emit('said');
    });
    this.ended = this.adapter.run().finally(() => this.#client.close());
  }

  /** Sends one request and returns its answer; `id` is generated if none is given. */
  async request(method: string, params?: object, id: string | number = `r${++this.#lastId}`): Promise<Said> {
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return this.answerTo(id);
  }

  modern(method: string, params: object = {}, id?: string | number): Promise<Said> {
    return this.request(method, { ...params, _meta: MODERN_META }, id);
  }

  async answerTo(id: string | number | null): Promise<Said> {
    for (;;) {
      const index = this.said.findIndex(({ json }) => json.id === id);
      if (index !== -1) return this.said.splice(index, 1)[0] as Said;
      await once(this.output, 'said');
    }
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(bytes: string | Uint8Array): void {
    this.input.write(bytes);
  }

  /** As clients do first. */
  async initialize(protocolVersion = '2025-11-25'): Promise<Said> {
    const clientInfo = { name: 'test', version: '1' };
    const said = await this.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return said;
  }

  /** Ends the input and waits for the end. */
  async close(): Promise<boolean> {
    this.input.end();
    return this.ended;
  }
}
