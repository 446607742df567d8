import type { RemoteHost } from '../../application/ports/remote-host.ts';
import { type ByteString, toBuffer } from './byte-string.ts';

const TIMEOUT_MS = 15 * 60_000;
const DISK_USAGE = 'exec xargs -0 du -sk -- 2>/dev/null';

/** Bytes that paths take on the host's disks, or `null` where it does not tell. Files with holes take less than they seem to. */
export async function allocatedBytes(
  host: RemoteHost,
  roots: readonly ByteString[],
  signal: AbortSignal,
): Promise<number | null> {
  const stdin = Buffer.concat(roots.flatMap((root) => [toBuffer(root), Buffer.alloc(1)]));
  const { stdout } = await host.run(
    { script: DISK_USAGE, stdin, asRoot: true },
    { timeoutMs: TIMEOUT_MS, signal },
  );
  const sizes = [...stdout.toString('latin1').matchAll(/^(\d+)\t\//gm)].map(([, size]) => Number(size));
  return sizes.length < roots.length ? null : sizes.reduce((sum, size) => sum + size * 1024, 0);
}
