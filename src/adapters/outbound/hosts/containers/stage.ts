import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { ProjectFile } from '../../../../domain/compose/compose.ts';
import { check, isFileName, isPath, isStagedId } from '../../../../domain/compose/compose-names.ts';
import { firstLines } from '../shell/host-lines.ts';
import { checkFiles, MAX_FILE_BYTES } from './compose-files.ts';
import { ENTER_SHELL } from './enter-shell.ts';

/** "$1": the id. Also clears away what was never deployed. */
const BEGIN = String.raw`umask 077
home=$(getent passwd "$(id -u)" | cut -d: -f6)
base=$home/.drover/stage
mkdir -p "$base" || exit 71
find "$base" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf -- {} +
rm -rf -- "$base/$1" && mkdir "$base/$1"`;

/** "$1": the id, "$2": the name, "$3": its mode. The content comes on standard input. */
const WRITE = String.raw`umask 077
home=$(getent passwd "$(id -u)" | cut -d: -f6)
cd "$home/.drover/stage/$1" || exit 71
case $2 in */*) mkdir -p "${'$'}{2%/*}" || exit 71 ;; esac
cat >"$2" && chmod "$3" "$2"`;

/** "$1": directory, "$2": name, "$3": bytes at most. Follows no link in the directory, neither on the way nor at its end. */
const READ = `${ENTER_SHELL}${String.raw`
[ -d "$1" ] || exit 72
enter "$1" "$(parent "$2")" || { [ -e "$1/$(parent "$2")" ] && exit 73; exit 72; }
base=${'$'}{2##*/}
[ ! -L "./$base" ] || exit 73
[ -e "./$base" ] || exit 72
[ -f "./$base" ] || exit 73
if dd if=/dev/null of=/dev/null iflag=nofollow 2>/dev/null; then
  dd if="./$base" iflag=nofollow,nonblock bs=65536 2>/dev/null | head -c "$3"
else
  head -c "$3" "./$base"
fi`}`;

const NOT_THERE = 72;
const NO_FILE = 73;
const LIMITS = { timeoutMs: 60_000, maxOutputBytes: MAX_FILE_BYTES + 1 };

/** Contents go through standard input: nobody sees them in a list of processes. */
export async function stageFiles(
  host: RemoteHost,
  stagedId: string,
  files: readonly ProjectFile[],
  signal: AbortSignal,
): Promise<void> {
  checkFiles(files);
  check(isStagedId, stagedId, 'The id');
  await succeed(host, { script: BEGIN, args: [stagedId] }, signal);
  for (const { name, content, secret } of files) {
    const args = [stagedId, name, secret ? '600' : '644'];
    await succeed(host, { script: WRITE, args, stdin: content }, signal);
  }
}

export async function readProjectFiles(
  host: RemoteHost,
  directory: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  check(isPath, directory, 'The directory');
  const contents = new Map<string, string>();
  for (const name of names) {
    const args = [directory, check(isFileName, name, 'The file'), String(MAX_FILE_BYTES)];
    const command = { script: READ, args, asRoot: true };
    const { exitCode, stdout, stderr } = await host.run(command, { ...LIMITS, signal });
    if (exitCode === NOT_THERE) continue;
    if (exitCode === NO_FILE) {
      throw new DomainError(
        'path_refused',
        `${directory}/${name} on the host is no plain file, or a link is on the way to it; remove that first.`,
      );
    }
    if (exitCode !== 0) throw failed(exitCode, stderr);
    contents.set(name, stdout.toString('utf8'));
  }
  return contents;
}

async function succeed(
  host: RemoteHost,
  command: { readonly script: string; readonly args: readonly string[]; readonly stdin?: string },
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, stderr } = await host.run({ ...command, asRoot: true }, { ...LIMITS, signal });
  if (exitCode !== 0) throw failed(exitCode, stderr);
}

function failed(exitCode: number | null, stderr: Buffer): DomainError {
  const [first = ''] = firstLines(stderr.toString('utf8').trimStart(), 1);
  const said = first.slice(0, 200);
  return new DomainError(
    'host_command_failed',
    `The project's files could not be laid by on the host (code ${exitCode}${said ? `: ${said}` : ''}). Look at the space and the rights of the account's home there.`,
  );
}
