import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { lastLine } from '../hosts/shell/host-lines.ts';
import { type ByteString, bytesOfBuffer, bytesOfText, display } from './byte-string.ts';
import type { StoreIdentity } from './store-identity.ts';

/** Programs that do the work on hosts. Each is the name of its Debian package too. */
export type HostTool = 'rsync' | 'restic' | 'tar';

export const toolMissing = (tool: HostTool): DomainError =>
  new DomainError(
    'host_tool_missing',
    `${tool} is not installed on the host: install the package ${tool} there (with apt-get, dnf, apk, pacman or zypper).`,
  );

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 4 * 1024 * 1024;

/**
 * For each path on standard input (NUL-terminated) three answers, NUL-terminated: `there` or `missing`; the path with
 * the links above its last part resolved; and if the path itself is a link, its final target. An "x" keeps line
 * breaks at the end of a name, which command substitution would drop.
 */
const SURVEY = `
command -v "$3" >/dev/null 2>&1 || exit 41
printf '%s\\0' "$("$3" "$4" 2>/dev/null | head -n 30)"
mark=
{ read -r mark <"$1"; } 2>/dev/null
if [ "$mark" = "$2" ]; then printf 'here\\0'; else printf 'elsewhere\\0'; fi
printf '%s\\0' "$(date +%s)"
exec xargs -0 sh -c '
for path do
  if [ ! -e "$path" ] && [ ! -L "$path" ]; then printf "missing\\0\\0\\0"; continue; fi
  if [ "$path" = / ]; then printf "there\\0/\\0\\0"; continue; fi
  above=\${path%/*}
  above=$(cd -P -- "\${above:-/}" && pwd -P && echo x) && above=\${above%??} || above=\${path%/*}
  [ "$above" != / ] || above=
  end=
  if [ -L "$path" ] && [ -e "$path" ]; then end=$(readlink -f -- "$path" && echo x) && end=\${end%??} || end=; fi
  printf "there\\0%s\\0%s\\0" "$above/\${path##*/}" "$end"
done' drover
`;

const VERSION_ARGUMENTS: Readonly<Record<HostTool, string>> = {
  rsync: '--version',
  tar: '--version',
  restic: 'version',
};

export interface Survey {
  /** The version of the tool on the host, such as `3.2.7`. */
  readonly version: string;
  /** All that the tool says of itself. */
  readonly abilities: string;
  /** What to read, as absolute paths without links in their parents, without duplicates. */
  readonly roots: readonly ByteString[];
  /** Paths that were replaced because of a link in them. */
  readonly moved: readonly { readonly from: string; readonly to: ByteString }[];
  /** Paths that are links themselves: both the link and its target are kept. */
  readonly links: readonly { readonly link: string; readonly end: ByteString }[];
  /** Whether the host is the machine that has the backup store. */
  readonly hasStore: boolean;
  /** The host's clock, seconds since the Unix epoch. */
  readonly askedAt: number;
}

/** Asks the host while other things are prepared. Errors are thrown where the answer is awaited. */
export function startSurvey(
  { host, source }: { readonly host: RemoteHost; readonly source: { readonly paths: readonly string[] } },
  ...how: readonly [store: StoreIdentity, signal: AbortSignal, tool: HostTool]
): Promise<Survey> {
  const survey = surveySource(host, source.paths, ...how);
  survey.catch(() => undefined);
  return survey;
}

/**
 * Checks a source's paths on the host. A path through symbolic links is replaced by its real name: a snapshot has no
 * links above the requested paths, so restoring it could only replace them by directories. `tool`: the program that
 * will read them there. `store`: a file of the store and its content, by which a host is recognized as the one with
 * the store. Throws `source_missing` that names the missing paths, `host_tool_missing`.
 */
export async function surveySource(
  host: RemoteHost,
  paths: readonly string[],
  store: StoreIdentity,
  signal: AbortSignal,
  tool: HostTool,
): Promise<Survey> {
  const stdin = Buffer.concat(paths.flatMap((path) => [Buffer.from(path), Buffer.alloc(1)]));
  const command = {
    script: SURVEY,
    args: [store.file, store.content, tool, VERSION_ARGUMENTS[tool]],
    stdin,
    asRoot: true,
  };
  const result = await host.run(command, { timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT, signal });
  if (result.exitCode === 41) throw toolMissing(tool);
  const [version = '', place, clock, ...answers] = bytesOfBuffer(result.stdout).split(
    '\0',
    3 * paths.length + 5,
  ) as ByteString[];
  if (result.exitCode !== 0 || answers.length !== 3 * paths.length + 1) {
    const said = lastLine(result.stderr.toString('utf8'));
    throw new DomainError(
      'host_command_failed',
      `The host did not report the paths of the source (code ${result.exitCode}): ${said.slice(0, 300) || 'no output'}. It needs sh, xargs, readlink and head.`,
    );
  }
  return judge(paths, answers, {
    version:
      /(?:version|restic|\(GNU tar\)|\(busybox\)|bsdtar) +v?([^\s\\]{1,40})/.exec(
        display(version as ByteString),
      )?.[1] ?? 'unknown',
    abilities: version,
    hasStore: place === 'here',
    askedAt: Number(clock),
  });
}

function judge(
  paths: readonly string[],
  answers: readonly ByteString[],
  known: Pick<Survey, 'version' | 'abilities' | 'hasStore' | 'askedAt'>,
): Survey {
  const roots = new Set<ByteString>();
  const moved: Array<{ from: string; to: ByteString }> = [];
  const links: Array<{ link: string; end: ByteString }> = [];
  const missing: string[] = [];
  for (const [index, path] of paths.entries()) {
    const [state, real, end] = answers.slice(3 * index, 3 * index + 3);
    if (state !== 'there' || !real?.startsWith('/')) {
      missing.push(path);
      continue;
    }
    roots.add(real);
    if (real !== bytesOfText(path)) moved.push({ from: path, to: real });
    // a link to the whole host is kept as the link that it is
    if (!end?.startsWith('/') || end === '/') continue;
    roots.add(end);
    links.push({ link: path, end });
    moved.push({ from: path, to: end });
  }
  if (missing.length > 0) throw sourceMissing(missing, paths.length);
  return { ...known, roots: [...roots], moved, links };
}

function sourceMissing(missing: readonly string[], count: number): DomainError {
  const named = missing.map((path) => `"${display(bytesOfText(path))}"`).join(', ');
  const which =
    missing.length === count
      ? 'None of the source’s paths is on the host'
      : 'Paths of the source are not on the host';
  return new DomainError(
    'source_missing',
    `${which}: ${named}. Nothing was backed up; correct the source's paths, or check for an unmounted disk.`,
  );
}
