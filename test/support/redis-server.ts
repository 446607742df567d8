import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from '../../scripts/lib/programs.mjs';
import { freePort } from './free-port.ts';
import type { DatabaseServer } from './postgres-server.ts';
import { eventually, kill, spawnBound } from './processes.ts';

/** A private Redis in memory. `diskless`: its replication stream is never a file, and ends with a mark. */
export async function startRedis({ diskless = true } = {}): Promise<DatabaseServer> {
  const dir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drover-redis-'));
  const password = randomBytes(16).toString('hex');
  const port = await freePort();
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    'save ""',
    `requirepass ${password}`,
    `repl-diskless-sync ${diskless ? 'yes' : 'no'}`,
    'repl-diskless-sync-delay 0',
    '',
  ];
  await writeFile(join(dir, 'redis.conf'), settings.join('\n'), { mode: 0o600 });
  const server = spawnBound('redis-server', [join(dir, 'redis.conf')]);
  server.stderr?.resume();
  const run = async (text: string): Promise<string> => {
    const { code, output } = await capture('redis-cli', ['--no-auth-warning', '-p', String(port)], {
      input: text,
      env: { REDISCLI_AUTH: password },
    });
    if (code !== 0) throw new Error(output);
    return output.trim();
  };
  const stop = async (): Promise<void> => {
    await kill(server);
    await rm(dir, { recursive: true, force: true });
  };
  await eventually('Redis answers', 60_000, async () =>
    (await run('PING').catch(() => '')) === 'PONG' ? true : undefined,
  );
  return { port, password, pid: server.pid ?? 0, run, kill9: () => kill(server), stop };
}
