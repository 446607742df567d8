import { setFlagsFromString } from 'node:v8';

/**
 * How far the heap may grow beyond its used size before garbage collection, in percent. By default V8 lets it grow to
 * three times that under load: 40 MiB more, which saves only some milliseconds every 50,000 requests.
 */
const HEAP_GROWTH = 50;

/** For the service's process. Call it at its start. */
export const boundHeap = (): void => setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
