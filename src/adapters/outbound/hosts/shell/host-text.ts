import type { HostQuestion } from '../../../../application/ports/fleet/host-question.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { oneLine } from '../../../../domain/base/one-line.ts';

/**
 * Text from a host is shortened and cleaned: it appears in terminals and web pages, and a host may lie. Returns
 * `null` for blanks only.
 */
export function plainText(text: string | undefined, most = 200): string | null {
  if (text === undefined) return null;
  return oneLine(text.slice(0, 4 * most), most) || null;
}

/** A count or size as a host prints it: decimal digits alone, at most 2^53 - 1. `null` for all else. */
export function wholeNumber(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/**
 * Asks with a separate command, as root if the server allows it. Throws as `RemoteHost.run`, and what `read` throws.
 */
export async function askHost<Answer>(
  host: RemoteHost,
  { script, args, timeoutMs, maxOutputBytes, read }: HostQuestion<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const { stdout, stderr } = await host.run(
    { script, args, asRoot: true },
    { signal, timeoutMs, maxOutputBytes },
  );
  return read({ stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') });
}
