import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A free port of 127.0.0.1 below 32768, outside the kernel's range for outgoing connections. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Error('found no free port between 20000 and 32000');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
