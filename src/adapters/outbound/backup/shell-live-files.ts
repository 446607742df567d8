import { type LiveFiles, MAX_LIVE_PATHS } from '../../../application/ports/backups/live-files.ts';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError, type ErrorCode } from '../../../domain/base/errors.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import type { EntryFacts, EntryKind } from '../../../domain/files/directory-entry.ts';
import { lastLine } from '../hosts/shell/host-lines.ts';

/** The raw mode in hex, the size and the time of change of each NUL-terminated path; a "-" for a missing one. */
const FACTS = `
exec xargs -0 sh -c '
all=$(stat -c "%f %s %Y" -- "$@" 2>/dev/null) && { printf "%s\\n" "$all"; exit 0; }
for path do stat -c "%f %s %Y" -- "$path" 2>/dev/null || echo -; done
exit 0' drover
`;

/** "$1": the path, "$2": the most bytes. */
const READ = `
[ -e "$1" ] || [ -L "$1" ] || exit 40
[ "$(readlink -f -- "$1")" = "$1" ] || exit 41
[ -f "$1" ] || exit 42
[ "$(wc -c <"$1")" -le "$2" ] || exit 43
exec head -c "$2" -- "$1"
`;

const KINDS: Readonly<Record<string, EntryKind>> = { '4': 'dir', '8': 'file', a: 'link' };

const REFUSALS: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  40: ['file_not_found', 'does not exist on the server'],
  41: ['path_refused', 'leads through a symbolic link on the server'],
  42: ['not_a_file', 'is not a regular file on the server'],
  43: ['file_too_large', 'is too large to be compared'],
};

/** Asks a host with `stat` and `head`, as root if the server allows it. */
export class ShellLiveFiles implements LiveFiles {
  async facts(
    host: RemoteHost,
    paths: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly (EntryFacts | null)[]> {
    if (paths.length === 0) return [];
    if (paths.length > MAX_LIVE_PATHS) throw new RangeError(`At most ${MAX_LIVE_PATHS} paths.`);
    const stdin = Buffer.concat(paths.flatMap((path) => [path, Buffer.alloc(1)]));
    const { stdout, stderr, exitCode } = await host.run({ script: FACTS, stdin, asRoot: true }, { signal });
    const lines = stdout.toString('latin1').split('\n');
    if (lines.length === paths.length + 1) return lines.slice(0, -1).map(factsOf);
    const said = lastLine(stderr.toString('utf8')).slice(0, 300);
    throw new DomainError(
      'host_command_failed',
      `The server could not list the files: ${said || `code ${exitCode}`}.`,
    );
  }

  async read(host: RemoteHost, path: string, most: number, signal: AbortSignal): Promise<Uint8Array> {
    const command = { script: READ, args: [path, String(most)], asRoot: true };
    const { exitCode, stdout, stderr } = await host.run(command, { signal, maxOutputBytes: most });
    if (exitCode === 0) return stdout;
    const [code, words] = REFUSALS[exitCode ?? 0] ?? [
      'host_command_failed',
      `cannot be read on the server: ${lastLine(stderr.toString('utf8')).slice(0, 300)}`,
    ];
    throw new DomainError(code, `"${path}" ${words}.`);
  }
}

function factsOf(line: string): EntryFacts | null {
  const [mode, size, seconds] = line.split(' ');
  if (mode === undefined || size === undefined || seconds === undefined) return null;
  return {
    kind: KINDS[mode.padStart(4, '0')[0] ?? ''] ?? 'other',
    size: Number(size),
    modifiedAt: Number(seconds) * SECOND,
  };
}
