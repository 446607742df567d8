// Loaded into a replica before its own code. Asked by its parent, it tells how many bytes are in use once all that nobody
// needs any more is gone: of the heap, and of buffers outside of it.
import { setTimeout as sleep } from 'node:timers/promises';

/** What a collection lets go of, such as sockets, lets go of more. */
const COLLECTIONS = 3;

process.on('message', () => void tell());
// it does not keep the service from ending
process.channel?.unref();

async function tell() {
  for (let turn = 0; turn < COLLECTIONS; turn += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
}
