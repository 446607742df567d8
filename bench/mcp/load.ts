import { connect, type Socket } from 'node:net';

const CONNECTIONS = 32;
/** Milliseconds after which a call counts as lost; a busy machine may keep a process waiting for some. */
const PATIENCE = 10_000;

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bodies of the requests, in turn. */
  readonly bodies: readonly unknown[];
}

export interface Answered {
  readonly calls: number;
  readonly perSecond: number;
}

/**
 * Sends requests over 32 connections from one thread, one at a time on each; every reply must be a 2xx with a
 * Content-Length. It reads no more of a reply than its head and its length, so that the client is no limit.
 */
export async function callFor(post: Post, seconds: number): Promise<Answered> {
  const { hostname, port } = new URL(post.url);
  const requests = post.bodies.map((body) => requestOf(post, JSON.stringify(body)));
  const began = performance.now();
  const until = began + seconds * 1000;
  let sent = 0;
  const next = (): Buffer | null =>
    performance.now() < until ? (requests[sent++ % requests.length] ?? null) : null;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => drive(connect(Number(port), hostname), next)),
  );
  const took = (performance.now() - began) / 1000;
  const calls = counts.reduce((sum, count) => sum + count, 0);
  return { calls, perSecond: calls / took };
}

/** Sends what `next` gives, one request after the other, and counts the replies. */
function drive(socket: Socket, next: () => Buffer | null): Promise<number> {
  return new Promise((resolve, reject) => {
    let replies = 0;
    /** Bytes of the reply that are still to come; -1: its head is. */
    let left = -1;
    let head = '';
    const send = (): void => {
      const request = next();
      if (request) socket.write(request);
      else {
        socket.destroy();
        resolve(replies);
      }
    };
    socket.setNoDelay(true);
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error('A call was lost')));
    socket.once('error', reject).once('connect', send);
    socket.on('data', (chunk: Buffer) => {
      if (left < 0) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /^HTTP\/1\.1 2\d\d [\s\S]*\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1];
        if (length === undefined) {
          socket.destroy(new Error(`Unexpected reply: ${head.slice(0, 300)}`));
          return;
        }
        left = Number(length) - (head.length - end - 4);
        head = '';
      } else left -= chunk.length;
      if (left > 0) return;
      left = -1;
      replies += 1;
      send();
    });
  });
}

/** One request and its answer: proves that the right thing is measured. */
export async function once(post: Post): Promise<string> {
  const reply = await fetch(post.url, {
    method: 'POST',
    headers: post.headers,
    body: JSON.stringify(post.bodies[0]),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${post.url} answered ${reply.status}: ${text.slice(0, 300)}`);
  return text;
}

function requestOf({ url, headers }: Post, body: string): Buffer {
  const { host, pathname } = new URL(url);
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
