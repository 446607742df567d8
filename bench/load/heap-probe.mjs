// Loaded into a replica before its own code. On request of its parent, it reports how many bytes are in use after
// garbage collection: of the heap, and of buffers outside of it.
import { setTimeout as sleep } from 'node:timers/promises';

/** Collected objects, such as sockets, may release more. */
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
