import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { oneLine } from '../../../domain/base/one-line.ts';
import { lastLine } from '../hosts/shell/host-lines.ts';
import { type ByteString, bytesOfBuffer, display, toBuffer } from './byte-string.ts';
import { type HostTool, toolMissing } from './source-survey.ts';

/** `"/a", "/b"`. */
export const quotedPaths = (paths: readonly ByteString[]): string =>
  paths.map((path) => `"${display(path)}"`).join(', ');

const NO_ENGINE = 41;
const NO_TOOL = 42;
const NO_DIRECTORY = 43;
const NOT_EMPTY = 44;
const TIMEOUT_MS = 120_000;
/** The part of the host's answer for an error. */
const MAX_SHOWN = 1_000;

const TOOLS = ['xargs', 'stat', 'sha256sum', 'readlink', 'id'];

/**
 * "$1": the directory, "$2": `overwrite` or `empty`, "$3": the tool that will write there. Prints the user's id and
 * the disk usage; then, of the NUL-terminated paths on standard input, those that are symbolic links below the
 * directory.
 */
const PREPARE = `
command -v "$3" >/dev/null 2>&1 || exit ${NO_ENGINE}
for tool in ${TOOLS.join(' ')}; do
  command -v "$tool" >/dev/null 2>&1 || { printf %s "$tool"; exit ${NO_TOOL}; }
done
umask 077
mkdir -p -- "$1" && ls -A -- "$1" >/dev/null && cd -- "$1" || exit ${NO_DIRECTORY}
if [ "$2" != overwrite ] && [ -n "$(ls -A | head -n 1)" ]; then exit ${NOT_EMPTY}; fi
printf '%s\\0%s\\0' "$(id -u)" "$(df -Pk . 2>/dev/null | tail -n 1)"
exec xargs -0 sh -c 'for path do if [ -L "$path" ]; then printf "%s\\0" "$path"; fi; done' drover
`;

/**
 * Creates the directory to restore to, and checks that files may be written there; returns the free space (`null` if
 * the host does not report it). Throws `restore_target_not_empty`, `host_tool_missing`, `restore_failed`.
 */
export async function prepareTarget(
  host: RemoteHost,
  target: { readonly directory: string; readonly overwrite: boolean; readonly above: readonly ByteString[] },
  signal: AbortSignal,
  tool: HostTool,
): Promise<{ readonly isRoot: boolean; readonly freeBytes: number | null }> {
  const { directory, overwrite, above } = target;
  const stdin = Buffer.concat(overwrite ? above.flatMap((path) => [toBuffer(path), Buffer.alloc(1)]) : []);
  const args = [directory, overwrite ? 'overwrite' : 'empty', tool];
  const result = await host.run(
    { script: PREPARE, args, stdin, asRoot: true },
    { timeoutMs: TIMEOUT_MS, signal },
  );
  if (result.exitCode !== 0)
    throw result.exitCode === NO_ENGINE
      ? toolMissing(tool)
      : refusal(result.exitCode, directory, result.stdout, result.stderr);
  const [userId, disk, ...links] = bytesOfBuffer(result.stdout).split('\0').slice(0, -1) as ByteString[];
  if (links.length > 0) {
    throw new DomainError(
      'restore_failed',
      `These directories of the snapshot are symbolic links on the host now: ${oneLine(quotedPaths(links.slice(0, 5)), MAX_SHOWN)} below "${directory}". Restoring would replace the links; restore to an empty directory and move the files yourself.`,
    );
  }
  const freeKib = /\s(\d{1,16})\s{1,40}\d{1,3}%\s/.exec(disk?.slice(0, 4_096) ?? '')?.[1];
  return { isRoot: userId === '0', freeBytes: freeKib === undefined ? null : Number(freeKib) * 1024 };
}

function refusal(code: number | null, directory: string, stdout: Buffer, stderr: Buffer): DomainError {
  const said = display(lastLine(bytesOfBuffer(stderr)) as ByteString).slice(0, 300);
  if (code === NO_TOOL) {
    const missing = TOOLS.find((tool) => stdout.equals(Buffer.from(tool))) ?? 'A tool';
    return new DomainError(
      'host_tool_missing',
      `${missing} is not installed on the host: install coreutils and findutils there.`,
    );
  }
  if (code === NOT_EMPTY) {
    return new DomainError(
      'restore_target_not_empty',
      `The directory "${directory}" is not empty: choose another one, or allow overwriting.`,
    );
  }
  return new DomainError(
    'restore_failed',
    `The directory "${directory}" cannot be used: ${said || `code ${code}`}.`,
  );
}
