import type { HostQuestion } from '../../../../application/ports/fleet/host-question.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';

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
