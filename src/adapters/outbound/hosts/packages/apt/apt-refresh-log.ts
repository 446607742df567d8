import { plainText } from '../../shell/host-text.ts';
import { withoutPasswords } from '../refresh-outcome.ts';

const MAX_SOURCES = 500;
const MAX_LINES = 50;

/** `Err:7 http://de.example.org/debian sid InRelease`, `Get:1 cdrom://[Debian 12 _Bookworm_] bookworm Release [1,234 B]`. */
const RELEASE = /^(Hit|Get|Err):\d+ (.{1,600}) (?:In)?Release(?: \[[^\]]{1,40}\])?$/;
/** `Err:9 http://archive.ubuntu.com/ubuntu noble-updates/main i386 Packages`. */
const INDEX_FAULT = /^Err:\d+ (\S{1,500} \S{1,200}) /;
/** The lists lock, which apt never waits for, whatever `DPkg::Lock::Timeout` says (seen with 2.2, 2.4, 2.6, 2.7, 3.0). */
const LOCKED =
  /^E: Could not get lock \S+?(?:\. It is held by process (\d+)(?: \((.{1,100})\))?| - open \(11: .*)$/;
const NO_PERMISSION = /^E: .*\(13: Permission denied\)$/;
/** Faults of one source; apt goes on with the others. */
const SOURCE_FAULTS = [
  /^The repository '(.{1,600}) (?:In)?Release' /,
  /^Repository '(.{1,600}) (?:In)?Release' changed its/,
  /^Release file for (\S{1,500})\/dists\/(\S{1,200})\/(?:In)?Release /,
];
const SUMMARIES =
  /^(?:Failed to fetch |Some index files failed|GPG error: |OpenPGP signature verification failed: |An error occurred during the signature verification)/;

/** Reads the output of `apt-get -q update`, line by line; keeps a bounded summary. */
export class AptRefreshLog {
  readonly #refreshed = new Set<string>();
  readonly #failed = new Map<string, string>();
  readonly #errors: string[] = [];
  readonly #warnings: string[] = [];
  #failing: string | null = null;
  #lockedBy: string | null = null;
  #noPermission = false;

  read(line: string): void {
    if (line.startsWith(' ')) return this.#explain(line);
    this.#failing = null;
    const [, word, release] = RELEASE.exec(line) ?? [];
    const [, index] = INDEX_FAULT.exec(line) ?? [];
    if (word !== undefined && word !== 'Err') this.#succeed(release ?? '');
    else if (release !== undefined) this.#fail(release);
    else if (index !== undefined) this.#fail(index);
    else if (line.startsWith('E: ')) this.#readError(line);
    else if (line.startsWith('W: ') && !SUMMARIES.test(line.slice(3))) keep(this.#warnings, line.slice(3));
  }

  /** Sources that failed, with apt's reason. */
  get failed(): ReadonlyMap<string, string> {
    return this.#failed;
  }

  /** Whether at least one source is up to date now: apt accepts all indexes of a source or none. */
  get anyRefreshed(): boolean {
    const failed = [...this.#failed.keys()];
    return [...this.#refreshed].some(
      (source) => !failed.some((each) => each === source || each.startsWith(`${source}/`)),
    );
  }

  /** Faults that do not belong to one source. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Who holds the lock that stopped apt, as far as it knows; `null`: no lock did. */
  get lockedBy(): string | null {
    return this.#lockedBy;
  }

  get noPermission(): boolean {
    return this.#noPermission;
  }

  #succeed(source: string): void {
    if (this.#refreshed.size < MAX_SOURCES) this.#refreshed.add(sourceName(source));
  }

  #fail(source: string, reason = 'no reason given'): void {
    const name = sourceName(source);
    if (this.#failed.size < MAX_SOURCES && !this.#failed.has(name)) this.#failed.set(name, reason);
    this.#failing = name;
  }

  /** The first line under `Err:` is the reason. */
  #explain(line: string): void {
    const reason = plainText(line, 200);
    if (this.#failing === null || reason === null) return;
    if (this.#failed.has(this.#failing)) this.#failed.set(this.#failing, withoutPasswords(reason));
    this.#failing = null;
  }

  #readError(line: string): void {
    const locked = LOCKED.exec(line);
    const text = line.slice(3);
    if (locked) this.#lockedBy = holder(locked[1], locked[2]);
    if (NO_PERMISSION.test(line)) this.#noPermission = true;
    const fault = SOURCE_FAULTS.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    if (fault) {
      this.#fail(fault.slice(1).join(' '), withoutPasswords(plainText(text) ?? ''));
      this.#failing = null;
    } else if (!SUMMARIES.test(text)) keep(this.#errors, text);
  }
}

const holder = (process: string | undefined, program: string | undefined): string =>
  process === undefined
    ? 'another program'
    : `process ${process}${program ? ` (${plainText(program, 80)})` : ''}`;

/** Address and suite, with the component if only one of its indexes failed (`noble-updates/main`). */
const sourceName = (source: string): string => plainText(withoutPasswords(source), 300) ?? '';

function keep(lines: string[], text: string): void {
  const line = plainText(text, 300);
  if (line !== null && lines.length < MAX_LINES) lines.push(withoutPasswords(line));
}
