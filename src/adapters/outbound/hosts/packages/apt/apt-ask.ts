import type { PackageLists, PackageSource } from '../../../../../domain/fleet/inventory.ts';

/**
 * `apt_nothing_newer LISTS HTTP HTTPS` asks the sources, with apt's own programs for http and https and the host's
 * own settings for them, whether they have anything newer than the current lists. `apt-get update` starts with that,
 * too; but then it verifies again what it verified at download, with about forty processes, which takes five times as
 * long as the question.
 * LISTS is the stamp of the last complete refresh; if it differs there is nothing to ask. HTTP and HTTPS are requests
 *  in the form that apt's programs read from it on standard input. Each program ends when its input does, answered or
 *  not. So the input stays open until the reader of the answers sends a word, `same` or `refresh`, on the line that
 *  the script was started with (6). The end of a program is reported, too: one that crashed answers nothing.
 * Settings with which apt finds proxies through another program are left to apt.
 */
export const APT_ASK = String.raw`
apt_nothing_newer() {
  [ -n "$1" ] || return 1
  apt_read_state
  apt_lists_digest
  [ "$apt_digest" = "$1" ] || return 1
  apt_settings=$(apt-config -o APT::Architectures::=all -o Acquire::http::Timeout=30 \
    -o Acquire::https::Timeout=30 dump --no-empty --format 'Config-Item: %F=%V%n') || return 1
  case $apt_settings in *[Pp]roxy-[Aa]uto* | *[Pp]roxy[Aa]uto* | *[Bb]in::[Mm]ethods::*) return 1 ;; esac
  apt_ask /usr/lib/apt/methods/http "$2" && apt_ask /usr/lib/apt/methods/https "$3"
}
apt_ask() {
  [ -n "$2" ] || return 0
  [ -x "$1" ] || return 1
  printf '\n%s asking\n' "$mark"
  apt_word=$({
    {
      printf '601 Configuration\n%s\n\n%s' "$apt_settings" "$2"
      read -r apt_word <&6
      printf %s "$apt_word" >&4
    } | {
      "$1" >&3 4>&-
      printf '\n%s answered\n' "$mark" >&3
    }
  } 4>&1)
  [ "$apt_word" = same ]
}
`;

const PROGRAMS = ['http', 'https'] as const;

const sourcesFor = (program: string, lists: PackageLists | null): readonly PackageSource[] =>
  lists?.sources.filter(({ uri }) => uri.startsWith(`${program}:`)) ?? [];

/** The arguments of `apt_nothing_newer`. */
export const questionsOf = (lists: PackageLists | null): string[] => [
  lists?.stamp ?? '',
  ...PROGRAMS.map((program) => sourcesFor(program, lists).map(request).join('')),
];

/** As apt asks. Where the source has something newer it cannot be put there, and is not fetched: apt does that. */
const request = ({ uri, changedAtSeconds }: PackageSource, index: number): string =>
  `600 URI Acquire
URI: ${uri}
Filename: /nonexistent/${index}
Index-File: true
Last-Modified: ${new Date(changedAtSeconds * 1_000).toUTCString()}

`;

/** Progress, warnings and log messages of apt's programs. */
const ON_THE_WAY = /^1\d\d (?!Redirect)/;

/**
 * Reads the answers of apt's programs, line by line, and sends the word to the script as soon as it is known. See
 * "APT Method Interface", which comes with apt: messages are a line with a number, fields, and an empty line.
 */
export class AskedSources {
  /** By program, in the order in which they are asked. */
  readonly #waiting: Set<string>[];
  readonly #answer: (word: 'same' | 'refresh') => void;
  readonly #same: string[] = [];
  #message: string[] = [];
  #isOver = false;
  #isAllSame = true;
  #isAnswered = false;

  constructor(lists: PackageLists | null, answer: (word: 'same' | 'refresh') => void) {
    this.#waiting = PROGRAMS.map(
      (program) => new Set(sourcesFor(program, lists).map(({ uri }) => uri)),
    ).filter(({ size }) => size > 0);
    this.#answer = answer;
  }

  /** Whether none of them has anything newer. */
  get isSame(): boolean {
    return this.#isOver && this.#isAllSame;
  }

  /** Sources that have nothing newer. */
  get same(): readonly string[] {
    return this.#same;
  }

  take(line: string): void {
    if (line !== '') {
      if (this.#message.length < MAX_FIELDS) this.#message.push(line);
      return;
    }
    const [head = '', ...fields] = this.#message.splice(0);
    if (head !== '' && !ON_THE_WAY.test(head)) this.#read(head, fields);
  }

  /** The next program is asked. */
  begins(): void {
    this.#message = [];
    this.#isAnswered = this.#isOver;
  }

  /** The program that was asked has ended: after its word, unless it fell over. */
  ended(): void {
    if (!this.#isAnswered) this.#say('refresh');
  }

  #read(head: string, fields: readonly string[]): void {
    const [waiting] = this.#waiting;
    const uri = fields.find((field) => field.startsWith(URI))?.slice(URI.length) ?? '';
    const isSame = head.startsWith('201 ') && fields.includes('IMS-Hit: true') && waiting?.delete(uri);
    if (!isSame) return this.#say('refresh');
    this.#same.push(uri);
    if (waiting?.size === 0) this.#say('same');
  }

  #say(word: 'same' | 'refresh'): void {
    if (this.#isOver) return;
    this.#isAnswered = true;
    this.#waiting.shift();
    this.#isAllSame &&= word === 'same';
    this.#isOver = word === 'refresh' || this.#waiting.length === 0;
    this.#answer(word);
  }
}

const URI = 'URI: ';
const MAX_FIELDS = 100;
