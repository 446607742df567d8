import type { HostQuestion } from '../../../application/ports/host-question.ts';
import { hostLines } from '../../../application/remote-host/host-lines.ts';
import { plainText } from '../../../application/remote-host/host-text.ts';
import { SECTIONS_PRELUDE } from '../../../application/remote-host/marked-sections.ts';
import { REBOOT_SIGNS } from '../reboot.ts';
import { withoutPasswords } from '../without-passwords.ts';
import { APT_LISTING } from './apt-listing.ts';
import type { AptRefreshLog } from './apt-refresh-log.ts';

/** What `apt_packages` and `reboot_signs` print. "$1": the mark of the sections, "$2": the stamp of what was found last. */
const LISTING = `${SECTIONS_PRELUDE}${APT_LISTING}${REBOOT_SIGNS}
packages_and_reboot() {
  apt_packages "$1"
  section_here reboot reboot_signs
}
`;

/** The listing alone, where the refresh did not come to a good end. */
export const LIST = `${LISTING}
at_once packages_and_reboot "$2"
exit 0
`;

/**
 * `apt_refresh`, by what `APT_ARCHITECTURES` knows. Both streams in one, so that reasons stay under what they explain. apt
 * may be ended at any time here: it moves each new list into place whole. It is not asked to throw its caches away and build
 * them anew at its end, changed or not, which is a third of its work: the listing, or whoever comes next, sees whether they
 * still fit.
 */
export const APT_REFRESH = String.raw`
apt_refresh() {
  apt_know_architectures
  DEBIAN_FRONTEND=noninteractive apt-get update -q $apt_architectures -o pkgCacheFile::Generate=false \
    -o DPkg::Lock::Timeout=300 -o APT::Color=0 -o Acquire::Retries=2 \
    -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o Acquire::ftp::Timeout=30 2>&1 3>&-
}
`;

/**
 * What is to be asked first, the refresh, and where that went well the listing, one after the other: a command costs host and
 * service some milliseconds each. Arguments: as `LIST`, then those of what is asked first.
 */
export const checkScript = (first: string): string => `${LISTING}${APT_REFRESH}
stamp=$2
shift 2
(
${first}
)
printf '\\n%s asked\\n' "$mark"
has apt-get || exit 127
apt_refresh
code=$?
printf '\\n%s refreshed %s\\n' "$mark" "$code"
[ "$code" = 0 ] || exit 0
at_once packages_and_reboot "$stamp"
exit 0
`;

export const LIST_LIMITS = { timeoutMs: 180_000, maxOutputBytes: 6 * 1024 * 1024 };
const MOST_LINE_CHARACTERS = 4_096;

export type CheckStep = 'first' | 'refresh' | 'list';

export interface CheckWatch {
  readonly first: HostQuestion<void> | null;
  readonly log: AptRefreshLog;
  /** Each line of apt's that is worth telling. */
  readonly onLine: (line: string) => void;
  readonly begins: (step: CheckStep) => void;
}

export interface CheckSeen {
  /** apt's own; `null` where a signal ended it, `undefined` where the script ended before. */
  readonly exitCode: number | null | undefined;
  /** What was printed after the refresh. */
  readonly listing: string;
}

/** Reads what `checkScript` prints, while it comes. */
export async function readCheck(
  output: AsyncIterable<Uint8Array>,
  mark: string,
  { first, log, onLine, begins }: CheckWatch,
): Promise<CheckSeen> {
  const lines = new RefreshLines(log, onLine);
  let step: CheckStep = 'first';
  let exitCode: CheckSeen['exitCode'];
  let text = new KeptText(first?.maxOutputBytes ?? MOST_LINE_CHARACTERS);
  for await (const line of hostLines(output, Math.max(text.most, LIST_LIMITS.maxOutputBytes))) {
    if (step === 'first' && line === `${mark} asked`) {
      first?.read({ stdout: text.content, stderr: '' });
      begins('refresh');
      step = 'refresh';
    } else if (step === 'refresh' && line.startsWith(`${mark} refreshed `)) {
      exitCode = unlessSignal(Number.parseInt(line.slice(mark.length + ' refreshed '.length), 10));
      text = new KeptText(LIST_LIMITS.maxOutputBytes);
      begins('list');
      step = 'list';
    } else if (step === 'refresh') lines.take(line.slice(0, MOST_LINE_CHARACTERS));
    else text.add(line);
  }
  if (step === 'first') first?.read({ stdout: text.content, stderr: '' });
  lines.end();
  return { exitCode, listing: step === 'list' ? text.content : '' };
}

/** As a shell tells it: 128 and the number of the signal. */
const unlessSignal = (code: number): number | null => (code > 128 ? null : code);

/** Lines, of which the first so many characters are kept. */
class KeptText {
  readonly most: number;
  content = '';

  constructor(most: number) {
    this.most = most;
  }

  add(line: string): void {
    if (this.content.length + line.length < this.most) this.content += `${line}\n`;
  }
}

/** Tells nothing of a run that finds apt locked: the lock is waited for and told once, not at each try. */
class RefreshLines {
  readonly #log: AptRefreshLog;
  readonly #onLine: (line: string) => void;
  readonly #held: string[] = [];
  #isUnderWay = false;

  constructor(log: AptRefreshLog, onLine: (line: string) => void) {
    this.#log = log;
    this.#onLine = onLine;
  }

  take(line: string): void {
    this.#log.read(line);
    const plain = plainText(withoutPasswords(line), 500);
    if (plain === null) return;
    this.#isUnderWay ||= this.#held.length >= MOST_HELD_LINES || /^(Hit|Get|Ign|Err):/.test(plain);
    this.#held.push(plain);
    if (this.#isUnderWay) this.#tell();
  }

  end(): void {
    if (this.#log.lockedBy === null) this.#tell();
  }

  #tell(): void {
    for (const each of this.#held.splice(0)) this.#onLine(each);
  }
}

/** apt finds the lock out before it prints more than a few lines. */
const MOST_HELD_LINES = 20;
