import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CONNECTIONS = 32;
/** Seconds after which a call counts as lost; a busy machine may keep a process waiting for some. */
const PATIENCE = 10;

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Requests a second that wrk gets answered over 32 connections from one thread; every reply must be a 2xx. */
export async function callsPerSecond(post: Post, seconds: number): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  try {
    const script = join(dir, 'post.lua');
    await writeFile(script, luaOf(post));
    const args = [
      '-t1',
      `-c${CONNECTIONS}`,
      `-d${seconds}s`,
      '--timeout',
      `${PATIENCE}s`,
      '-s',
      script,
      post.url,
    ];
    const { stdout } = await promisify(execFile)('wrk', args).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('This bench needs wrk: apt-get install wrk') : error;
    });
    const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout);
    if (failed) throw new Error(`${post.url}: ${failed[0]}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** One request and its answer: proves that the right thing is measured. */
export async function once(post: Post): Promise<string> {
  const reply = await fetch(post.url, {
    method: 'POST',
    headers: post.headers,
    body: JSON.stringify(post.body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${post.url} answered ${reply.status}: ${text.slice(0, 300)}`);
  return text;
}

function luaOf({ headers, body }: Post): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[ ${quote(name)} ] = ${quote(value)}`,
  );
  return ['wrk.method = "POST"', ...lines, `wrk.body = ${quote(JSON.stringify(body))}`, ''].join('\n');
}

/** Lua's long string; a bracket right before it would make it another one. */
const quote = (text: string): string => `[==[${text}]==]`;
