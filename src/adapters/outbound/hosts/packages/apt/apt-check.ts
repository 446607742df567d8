import type { HostQuestion } from '../../../../../application/ports/fleet/host-question.ts';
import { hostLines } from '../../shell/host-lines.ts';
import { plainText } from '../../shell/host-text.ts';
import { SECTIONS_PRELUDE } from '../../shell/marked-sections.ts';
import { REBOOT_SIGNS } from '../reboot.ts';
import { withoutPasswords } from '../refresh-outcome.ts';
import { APT_ASK, type AskedSources } from './apt-ask.ts';
import { APT_LISTING } from './apt-listing.ts';
import { APT_LISTS } from './apt-lists.ts';
import type { AptRefreshLog } from './apt-refresh-log.ts';

/**
 * The output of `apt_packages` and `reboot_signs`. "$1": the mark of the sections, "$2": the stamp of the previous
 * result.
 */
const LISTING = `${SECTIONS_PRELUDE}${APT_LISTING}${REBOOT_SIGNS}
packages_and_reboot() {
  apt_packages "$1"
  section_here reboot reboot_signs
}
`;

/** The listing alone, if the refresh failed. */
export const LIST = `${LISTING}
at_once packages_and_reboot "$2"
exit 0
`;

/**
 * `apt_refresh`, with the result of `APT_ARCHITECTURES`. Both streams in one, so that reasons stay below what they
 * explain. apt may be ended at any time here: it moves each new list into place atomically. It does not rebuild its
 * caches at the end, which would be a third of its work: the listing, or the next caller, checks whether they are
 * still valid.
 */
export const APT_REFRESH = String.raw`
apt_refresh() {
  apt_know_architectures
  apt_state=
  DEBIAN_FRONTEND=noninteractive apt-get update -q $apt_architectures -o pkgCacheFile::Generate=false \
    -o DPkg::Lock::Timeout=300 -o APT::Color=0 -o Acquire::Retries=2 \
    -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o Acquire::ftp::Timeout=30 2>&1 3>&- 6<&-
}
`;

/**
 * The preliminary question, the refresh, unless no source has anything newer, and after its success the listing, one
 * after another: a command costs host and service some milliseconds each. Arguments: as `LIST`, those of
 * `apt_nothing_newer`, and those of the question. On standard input it reads a word about each apt program that asks
 * sources.
 */
export const checkScript = (first: string): string => `exec 6<&0
${LISTING}${APT_REFRESH}${APT_LISTS}${APT_ASK}
refreshed_packages() {
  packages_and_reboot "$1"
  section_here apt-lists apt_show_lists
}
stamp=$2 lists=$3 http=$4 https=$5
shift 5
(
exec 6<&-
${first}
)
printf '\\n%s asked\\n' "$mark"
has apt-get || exit 127
if apt_nothing_newer "$lists" "$http" "$https"; then
  printf '\\n%s same\\n' "$mark"
  at_once packages_and_reboot "$stamp"
  exit 0
fi
printf '\\n%s refreshing\\n' "$mark"
apt_refresh
code=$?
printf '\\n%s refreshed %s\\n' "$mark" "$code"
[ "$code" = 0 ] || exit 0
at_once refreshed_packages "$stamp"
exit 0
`;

export const LIST_LIMITS = { timeoutMs: 180_000, maxOutputBytes: 6 * 1024 * 1024 };
const MAX_LINE_CHARACTERS = 4_096;

export type CheckStep = 'first' | 'ask' | 'refresh' | 'list';

export interface CheckWatch {
  readonly first: HostQuestion<void> | null;
  readonly asked: AskedSources;
  readonly log: AptRefreshLog;
  /** Each relevant line of apt's output. */
  readonly onLine: (line: string) => void;
  readonly begins: (step: CheckStep) => void;
}

export interface CheckSeen {
  /**
   * apt's exit code; `null` if a signal ended it, `undefined` if the script ended before, `same` if apt did not have
   * to run.
   */
  readonly exitCode: number | 'same' | null | undefined;
  /** The output after the refresh. */
  readonly listing: string;
}

/** Reads the output of `checkScript` as it arrives. */
export async function readCheck(
  output: AsyncIterable<Uint8Array>,
  mark: string,
  watch: CheckWatch,
): Promise<CheckSeen> {
  const reader = new CheckReader(mark, watch);
  const most = Math.max(watch.first?.maxOutputBytes ?? 0, LIST_LIMITS.maxOutputBytes);
  for await (const line of hostLines(output, most)) reader.take(line);
  return reader.end();
}

class CheckReader {
  readonly #mark: string;
  readonly #watch: CheckWatch;
  readonly #refresh: RefreshLines;
  #step: CheckStep = 'first';
  #exitCode: CheckSeen['exitCode'];
  #text: KeptText;

  constructor(mark: string, watch: CheckWatch) {
    this.#mark = `${mark} `;
    this.#watch = watch;
    this.#refresh = new RefreshLines(watch.log, watch.onLine);
    this.#text = new KeptText(watch.first?.maxOutputBytes ?? MAX_LINE_CHARACTERS);
  }

  take(line: string): void {
    if (line.startsWith(this.#mark) && this.#isTurn(line.slice(this.#mark.length))) return;
    if (this.#step === 'ask') this.#watch.asked.take(line.slice(0, MAX_LINE_CHARACTERS));
    else if (this.#step === 'refresh') this.#refresh.take(line.slice(0, MAX_LINE_CHARACTERS));
    else this.#text.add(line);
  }

  end(): CheckSeen {
    if (this.#step === 'first') this.#readFirst();
    this.#refresh.end();
    return { exitCode: this.#exitCode, listing: this.#step === 'list' ? this.#text.content : '' };
  }

  /** Whether the script announces the next part. */
  #isTurn(words: string): boolean {
    const { asked, begins } = this.#watch;
    const turn = `${this.#step}: ${words}`;
    if (turn === 'first: asked') {
      this.#readFirst();
      this.#step = 'ask';
    } else if (turn === 'ask: asking') asked.begins();
    else if (turn === 'ask: answered') asked.ended();
    else if (turn === 'ask: refreshing') this.#step = 'refresh';
    else if (turn === 'ask: same' && asked.isSame) this.#list('same');
    else if (turn.startsWith('refresh: refreshed ')) {
      this.#list(unlessSignal(Number.parseInt(turn.slice('refresh: refreshed '.length), 10)));
    } else return false;
    begins(this.#step);
    return true;
  }

  #readFirst(): void {
    this.#watch.first?.read({ stdout: this.#text.content, stderr: '' });
  }

  #list(exitCode: CheckSeen['exitCode']): void {
    this.#exitCode = exitCode;
    this.#step = 'list';
    this.#text = new KeptText(LIST_LIMITS.maxOutputBytes);
  }
}

/** As a shell reports it: 128 plus the number of the signal. */
const unlessSignal = (code: number): number | null => (code > 128 ? null : code);

/** Lines, each truncated to this many characters: text after a gap would look like the text before it. */
class KeptText {
  readonly most: number;
  content = '';
  #isFull = false;

  constructor(most: number) {
    this.most = most;
  }

  add(line: string): void {
    this.#isFull ||= this.content.length + line.length >= this.most;
    if (!this.#isFull) this.content += `${line}\n`;
  }
}

/** Suppresses output while apt is locked: waiting for the lock is reported once, not at each try. */
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
    this.#isUnderWay ||= this.#held.length >= MAX_HELD_LINES || /^(Hit|Get|Ign|Err):/.test(plain);
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
const MAX_HELD_LINES = 20;
