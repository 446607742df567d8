import type { Readable } from 'node:stream';

/** Resolves once a stream is read or destroyed; destroys it if the reader goes away. Errors reach the reader. */
export function untilClosed(content: Readable, signal: AbortSignal): Promise<void> {
  const leave = (): void => void content.destroy();
  // the promise may be awaited only later
  content.on('error', () => undefined);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return new Promise((resolve) => {
    content.once('close', () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
  });
}
