import type {
  JailEntry,
  JailFs,
  JailListing,
  Tree,
  WriteOptions,
  WriteResult,
} from '../../../../../application/ports/files/jail-fs.ts';
import type { RemoteHost } from '../../../../../application/ports/fleet/remote-host.ts';
import type { EntryFacts } from '../../../../../domain/files/directory-entry.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { wholeNumber } from '../../shell/host-text.ts';
import { asHashed } from '../as-hashed.ts';
import type { CommitLocks } from '../commit-locks.ts';
import { movedAway } from '../refusals.ts';
import { ENTER } from './enter.ts';
import { type Call, Helper, nonsense } from './helper.ts';
import { assertOutcome, type Subject } from './outcome.ts';
import { rawMode, readRaw, readTree } from './read-tree.ts';
import { sendFile } from './send-file.ts';
import type { Conversation, ShellOutput } from './warm-shell.ts';
import { STREAM } from './write-script.ts';

/** A listing's record of an entry: three numbers and a name of at most 255 bytes. */
const ENTRY_BYTES = 320;
const SHA256 = /^[0-9a-f]{64}$/;
/** A reader loses only to a writer that replaces the file again and again, each time in the middle of the reading. */
const READ_TRIES = 5;

type Part = Parameters<JailFs['read']>[1];

export interface ShellJail {
  readonly host: RemoteHost;
  readonly serverId: number;
  readonly serverName: string;
  readonly directory: string;
  readonly ask: (conversation: Conversation) => Promise<ShellOutput>;
  readonly newMark: () => string;
  readonly locks: CommitLocks;
  readonly signal: AbortSignal | undefined;
}

/** A file root of a host, accessed by constant helpers for its shell. */
export class ShellJailFs implements JailFs {
  readonly #jail: ShellJail;
  readonly #helper: Helper;

  constructor(jail: ShellJail) {
    this.#jail = jail;
    this.#helper = new Helper(jail);
  }

  async list(path: JailPath, most: number): Promise<JailListing> {
    const call = this.#call({
      what: 'list',
      path,
      directory: path,
      args: [String(most + 1)],
      expect: ['entries'],
    });
    const { rest, mark } = await this.#helper.run(call, (most + 5) * ENTRY_BYTES);
    const printed = rest.toString('latin1');
    const end = `${mark} end\n`;
    if (!printed.endsWith(end)) throw nonsense(call.about);
    const [self, ...entries] = printed.slice(0, -end.length).split('\0').slice(0, -1).map(readEntry);
    // the directory itself comes first, so that a stat which prints nothing does not pass for an empty directory
    if (self?.name.toString() !== '.') assertOutcome({ word: 'tool', values: ['stat'] }, [], '', call.about);
    const found = entries.filter((entry) => entry !== null && entry !== undefined);
    const sorted = found.sort((one, other) => one.name.compare(other.name));
    return { entries: sorted.slice(0, most), truncated: sorted.length > most };
  }

  async stat(path: JailPath): Promise<EntryFacts> {
    const place = path.isRoot ? { directory: path, name: '' } : path.entry;
    const call = this.#call({ what: 'stat', path, ...place, expect: ['entry'] });
    const { outcome } = await this.#helper.run(call);
    return readRaw(outcome.values) ?? this.#nonsense(call.about);
  }

  async read(path: JailPath, part: Part): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
    for (let tries = 1; tries <= READ_TRIES; tries += 1) {
      const read = await this.#readOnce(path, part);
      if (read !== 'moved') return read;
    }
    throw movedAway(path);
  }

  /** `moved`: another file was put in its place meanwhile, as any write does. */
  async #readOnce(path: JailPath, { offset, length }: Part) {
    const args = [String(offset), String(length)];
    const call = this.#call({ what: 'read', path, ...path.entry, args, expect: ['file'] });
    const { outcome, rest, mark, stderr } = await this.#helper.run(call, length);
    const size = wholeNumber(outcome.values[0]) ?? this.#nonsense(call.about);
    const before = `\n${mark} end `;
    const end = rest.lastIndexOf(before);
    const code =
      end < 0
        ? ''
        : rest
            .subarray(end + before.length)
            .toString('latin1')
            .trimEnd();
    if (code === 'moved') return 'moved' as const;
    if (code !== '0') assertOutcome({ word: 'failed', values: [] }, [], stderr, call.about);
    return { bytes: rest.subarray(0, end), size };
  }

  async readStream(path: JailPath, most: number): ReturnType<JailFs['readStream']> {
    const call = this.#call({
      what: STREAM,
      path,
      ...path.entry,
      args: [String(most)],
      expect: ['file'],
      most,
    });
    const opened = await this.#helper.open(call);
    const { process } = opened;
    try {
      process.stdin.end();
      const { values } = await opened.outcome();
      const size = wholeNumber(values[0]) ?? this.#nonsense(call.about);
      const sha256 = values[1] ?? '';
      if (!SHA256.test(sha256)) throw nonsense(call.about);
      return { size, sha256, content: asHashed(process.stdout, { size, sha256 }, path, this.#jail.signal) };
    } catch (error) {
      process.kill();
      throw error;
    }
  }

  write(path: JailPath, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WriteResult> {
    const { directory, name } = path.entry;
    const { locks, serverId, directory: jail, newMark } = this.#jail;
    return sendFile({
      helper: this.#helper,
      about: this.#about(path, { most: options.most }),
      directory: String(directory),
      name,
      content,
      options,
      random: newMark(),
      commit: (work) => locks.hold(JSON.stringify([serverId, jail, String(path)]), work),
    });
  }

  async makeDirectory(path: JailPath): Promise<void> {
    await this.#helper.run(this.#call({ what: 'mkdir', path, ...path.entry, expect: ['done'] }));
  }

  async rename(path: JailPath, to: string): Promise<void> {
    const taken = path.entry.directory.child(to);
    await this.#helper.run(
      this.#call({ what: 'rename', path, ...path.entry, args: [to], expect: ['done'], taken }),
    );
  }

  async remove(path: JailPath): Promise<EntryFacts> {
    const call = this.#call({ what: 'remove', path, ...path.entry, expect: ['entry'] });
    const { outcome } = await this.#helper.run(call);
    return readRaw(outcome.values) ?? this.#nonsense(call.about);
  }

  async tree(path: JailPath, most: number): Promise<Tree> {
    const call = this.#call({ what: TREE, path, directory: path, expect: ['tree'] });
    const opened = await this.#helper.open(call);
    try {
      opened.process.stdin.end();
      await opened.outcome();
      return await readTree(opened, most, call.about);
    } finally {
      opened.process.kill();
    }
  }

  async removeTree(path: JailPath): Promise<void> {
    await this.#helper.run(this.#call({ what: 'remove_tree', path, ...path.entry, expect: ['done'] }));
  }

  async mode(path: JailPath): Promise<number> {
    const call = this.#call({ what: 'stat', path, ...path.entry, expect: ['entry'] });
    const { outcome } = await this.#helper.run(call);
    return readRaw(outcome.values) ? rawMode(outcome.values[0]) : this.#nonsense(call.about);
  }

  async changeMode(path: JailPath, mode: number): Promise<number> {
    const args = [mode.toString(8).padStart(3, '0')];
    const call = this.#call({ what: 'chmod', path, ...path.entry, args, expect: ['mode'] });
    const { outcome } = await this.#helper.run(call);
    return wholeNumber(outcome.values[0]) ?? this.#nonsense(call.about);
  }

  async sweep(path: JailPath): Promise<number> {
    const call = this.#call({ what: 'sweep', path, directory: path, expect: ['swept'] });
    const { outcome } = await this.#helper.run(call);
    return wholeNumber(outcome.values[0]) ?? this.#nonsense(call.about);
  }

  close(): void {
    this.#jail.host.release();
  }

  #about(path: JailPath, more: Pick<Subject, 'taken' | 'most'> = {}): Subject {
    return { serverName: this.#jail.serverName, jail: this.#jail.directory, path, ...more };
  }

  #call<const What extends string>({
    path,
    directory,
    taken,
    most,
    ...call
  }: Omit<Call<What>, 'about' | 'directory' | 'name'> & {
    readonly path: JailPath;
    readonly directory: JailPath;
    readonly name?: string;
    readonly taken?: JailPath;
    readonly most?: number;
  }): Call<What> {
    const more = { ...(taken ? { taken } : {}), ...(most === undefined ? {} : { most }) };
    return { name: '', ...call, directory: String(directory), about: this.#about(path, more) };
  }

  #nonsense(about: Subject): never {
    throw nonsense(about);
  }
}

/** `MODE SIZE SECONDS ./NAME`, in Latin-1: a character is a byte. */
function readEntry(line: string): (JailEntry & { readonly name: Buffer }) | null {
  const [mode, size, seconds, ...name] = line.split(' ');
  const facts = readRaw([mode, size, seconds]);
  const shown = name.join(' ').replace(/^\.\//, '');
  return facts && shown !== '' ? { name: Buffer.from(shown, 'latin1'), ...facts } : null;
}

/** The arguments of a program have a size limit; a larger directory is listed in part. */
const MAX_NAMES = 4_000;

/**
 * After its first line this prints NUL-terminated records: "D" and the path of a directory that was entered, or
 * returned to (empty, or with a slash at its end); "E", raw mode, size, time and name of each of its entries; "L" and
 * the name of a link, then a separate record with its target and a dot; "P" if a part was left out; and last "Z" with
 * the mark.
 */
const TREE = String.raw`${ENTER}
[ -r . ] || say denied
command -v stat >/dev/null || say tool stat
device=$(stat -c %d .) at=
printf '%s tree\n' "$mark"
look() {
  printf 'D%s\0' "$at"
  [ -r . ] && [ ${'$'}{#at} -lt 3000 ] || { printf 'P\0'; return; }
  set -- ./..?* ./.[!.]* ./*
  [ $# -le ${MAX_NAMES} ] || { printf 'P\0'; return; }
  stat --printf='E%f %s %.3Y %n\0' -- "$@" 2>/dev/null
  for each; do
    if [ -L "$each" ]; then
      printf 'L%s\0%s\0' "$each" "$(readlink -- "$each"; echo .)"
    elif [ -d "$each" ]; then
      (
        cd -P -- "$each" 2>/dev/null || { printf 'P\0'; exit; }
        here=${'$'}{here%/}/${'$'}{each#./}
        is_here "$here" && [ "$(stat -c %d .)" = "$device" ] || { printf 'P\0'; exit; }
        at=$at${'$'}{each#./}/
        look
      )
      printf 'D%s\0' "$at"
    fi
  done
}
look
printf 'Z%s\0' "$mark"
`;
