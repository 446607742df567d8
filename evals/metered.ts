import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Agent } from './task.ts';

const Message = z.looseObject({
  method: z.string().optional(),
  params: z.looseObject({ name: z.string().optional() }).optional(),
});
const Reply = z.looseObject({
  result: z
    .looseObject({ structuredContent: z.unknown().optional(), content: z.unknown().optional() })
    .optional(),
  error: z.unknown().optional(),
});

/** What an agent asked of the service. */
export interface Usage {
  /** Calls of tools. */
  calls: number;
  /** Characters of the arguments and of the results' text, divided by four. */
  tokens: number;
  /** In their order. */
  readonly tools: string[];
}

/** Stands between an agent and `/mcp`, and counts. */
export class Meter {
  readonly usage: Usage = { calls: 0, tokens: 0, tools: [] };
  readonly #server: Server;
  readonly #upstream: string;

  constructor(upstream: string) {
    this.#upstream = upstream;
    this.#server = createServer((request, reply) => {
      this.#pass(request).then(
        ({ status, headers, text }) => reply.writeHead(status, headers).end(text),
        (error: unknown) => reply.writeHead(502).end(String(error)),
      );
    });
  }

  /** Returns the address to give to the agent. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(request: IncomingMessage) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const names = [
      'authorization',
      'content-type',
      'accept',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
    ];
    const headers = Object.fromEntries(
      names.flatMap((name) =>
        request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
      ),
    );
    const method = request.method ?? 'GET';
    const reply = await fetch(`${this.#upstream}${request.url}`, {
      method,
      headers,
      ...(method === 'POST' ? { body } : {}),
    });
    const text = await reply.text();
    this.#count(body.toString(), text);
    return {
      status: reply.status,
      headers: { 'content-type': reply.headers.get('content-type') ?? 'text/plain' },
      text,
    };
  }

  #count(asked: string, answered: string): void {
    const { method, params } = Message.safeParse(parsed(asked)).data ?? {};
    if (method !== 'tools/call') return;
    const text = JSON.stringify(Reply.safeParse(parsed(answered)).data?.result?.content ?? '');
    this.usage.calls += 1;
    this.usage.tokens += Math.ceil((JSON.stringify(params).length + text.length) / 4);
    this.usage.tools.push(params?.name ?? '?');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const POLL_MS = 30;
const MAX_POLLS = 200;

/** Calls tools as the reference solutions do: without a model. */
export class ScriptedAgent implements Agent {
  readonly #url: string;
  readonly #secret: string;

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  async call(name: string, args: object = {}) {
    const reply = await fetch(`${this.#url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#secret}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const { result, error } = Reply.parse(await reply.json());
    if (!result) throw new Error(`${name}: ${JSON.stringify(error)}`);
    // A refusal is the result's text alone.
    const content = z.array(z.looseObject({ text: z.string() })).parse(result.content);
    return (result.structuredContent ?? JSON.parse(content[0]?.text ?? '{}')) as never;
  }

  async job(args: object) {
    const started = (await this.call('trigger_job', args)) as { job_id: number };
    for (let poll = 0; poll < MAX_POLLS; poll += 1) {
      // The job of a simulated host takes milliseconds: an agent that waits a second asks once.
      await sleep(poll === 0 ? 10 * POLL_MS : POLL_MS);
      const job = (await this.call('get_job', { job_id: started.job_id })) as { done?: boolean };
      if (job.done !== false) return job as never;
    }
    throw new Error('the job does not end');
  }
}
