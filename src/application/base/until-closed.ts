import type { Readable } from 'node:stream';

/** Resolves once a stream is read or destroyed; destroys it where the one who reads goes away. What it fails with is told to its reader. */
export function untilClosed(content: Readable, signal: AbortSignal): Promise<void> {
  const leave = (): void => void content.destroy();
  // somebody may look at it only later
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
