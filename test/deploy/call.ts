import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Reply {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Sends it and waits for the whole answer. */
export async function answered(sent: ClientRequest, body = ''): Promise<Reply> {
  sent.end(body);
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}

/** A proxy that is spoken to over HTTPS. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** The name that it is published under. */
  readonly name: string;
}

export interface Call {
  readonly path: string;
  /** An address of this machine that it comes from. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  /** Sent by POST as browsers send forms. */
  readonly form?: Readonly<Record<string, string>>;
}

const JSON_TYPES = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

export function throughProxy({ host, port, name }: Proxy, call: Call): Promise<Reply> {
  const { path, from, headers = {}, body, form } = call;
  const content = form ? new URLSearchParams(form).toString() : JSON.stringify(body);
  const sent = request({
    host,
    port,
    path,
    servername: name,
    method: content === undefined ? 'GET' : 'POST',
    ...(from === undefined ? {} : { localAddress: from }),
    // Caddy's own authority, made for this test.
    rejectUnauthorized: false,
    agent: false,
    headers: {
      Host: `${name}:${port}`,
      ...(form ? FORM_TYPE : body === undefined ? {} : JSON_TYPES),
      ...headers,
    },
  });
  return answered(sent, content);
}
