import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { exactText } from '../../domain/base/visible-text.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import type { ChangeFact, ChangePreview, FileChange } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import type { ChangeHandler } from '../jobs/change-handler.ts';
import type { InspectedFile } from './inspect-file.ts';
import { type JailFileOps } from './jail-file-ops.ts';
import { MAX_READ } from './read-part.ts';

/** The longest difference that is shown, in characters. */
const MAX_DIFF = 1_000_000;

/** Changes of files that wait for approval, with the difference of the text. */
export class FileChanges
  extends UseCase<'textDiff', { readonly jailFileOps: JailFileOps }>
  implements ChangeHandler<FileChange>
{
  /** Also throws `file_too_large` for more than 256 KiB, and `empty_change` if a file has the content already. */
  async preview(actor: Actor, change: FileChange): Promise<ChangePreview> {
    const { jailFileOps } = this.deps;
    const at = change.kind === 'rename_file' ? childOf(change.p, change.src) : pathOf(change);
    const { serverName, file } = await jailFileOps.inspect(actor, change.serverId, at);
    const seen = await this.#look(actor, change, { at, file });
    return {
      serverId: change.serverId,
      subject: serverName,
      summary: `${at}: ${seen.summary}`,
      facts: [{ name: 'Path', before: null, after: at }, ...(seen.facts ?? [])],
      diff: seen.diff ?? null,
      state: JSON.stringify(file === null ? { at } : { at, ...stateOf(file) }),
    };
  }

  async perform(actor: Actor, change: FileChange, { state }: ChangePreview): Promise<void> {
    const { jailFileOps } = this.deps;
    const { serverId, p } = change;
    switch (change.kind) {
      case 'write_file': {
        const sha256 = seenHash(state);
        const expected = sha256 === null ? { onlyNew: true } : { ifMatch: sha256 };
        const order = { p, name: change.name, content: once(change.text), ...expected };
        await jailFileOps.write(actor, serverId, order);
        return;
      }
      case 'mkdir':
        await jailFileOps.makeDirectory(actor, serverId, p, change.name);
        return;
      case 'delete_file':
        await jailFileOps.remove(actor, serverId, p);
        return;
      case 'rename_file':
        await jailFileOps.rename(actor, serverId, change);
    }
  }

  async #look(
    actor: Actor,
    change: FileChange,
    { at, file }: { readonly at: string; readonly file: InspectedFile | null },
  ): Promise<Preview> {
    if (change.kind === 'write_file') return this.#writing(change, file);
    if (change.kind === 'delete_file') return this.#deleting(found(file, at));
    if (change.kind === 'mkdir') {
      if (file !== null) throw exists(at);
      return { summary: 'new directory' };
    }
    const to = childOf(change.p, change.dest);
    found(file, at);
    const taken = await this.deps.jailFileOps.inspect(actor, change.serverId, to);
    if (taken.file !== null) throw exists(to);
    return { summary: `→ ${to}`, facts: [{ name: 'New path', before: null, after: to }] };
  }

  #writing(change: Extract<FileChange, { kind: 'write_file' }>, file: InspectedFile | null): Preview {
    const bytes = new TextEncoder().encode(change.text).length;
    checkWrite(change, bytes, file);
    const before = file === null ? '' : textOf(file.content);
    if (file !== null && before === change.text) {
      throw new DomainError('empty_change', 'The file already has this content; nothing was requested.');
    }
    const diff = before === null ? null : this.#diff(before, change.text);
    return {
      summary: `${file === null ? 'new file' : 'changed'}${diff === null ? '' : `, ${linesOf(diff)}`}`,
      facts: [sizes(file?.size ?? null, bytes), ...hidden(before)],
      diff: diff ?? this.#diff('', change.text),
    };
  }

  #deleting(file: InspectedFile): Preview {
    const text = textOf(file.content);
    return {
      summary: `deleted (${KINDS[file.kind]})`,
      facts: file.kind === 'file' ? [sizes(file.size, null), ...hidden(text)] : [],
      diff: text === null || text === '' ? null : this.#diff(text, ''),
    };
  }

  /** Nothing in it is invisible, and nothing is hidden: a diff that is cut says so. */
  #diff(before: string, after: string): string {
    const diff = exactText(this.deps.textDiff.between(before, after));
    if (diff.length <= MAX_DIFF) return diff;
    return `${diff.slice(0, MAX_DIFF)}\n… ${diff.length - MAX_DIFF} more characters are not shown`;
  }
}

/** The hash of the file in the state of a preview; null: there was none. */
export const seenHash = (state: string): string | null =>
  (JSON.parse(state) as { readonly sha256?: string }).sha256 ?? null;

function checkWrite(
  { ifMatch }: { readonly ifMatch?: string | undefined },
  bytes: number,
  file: InspectedFile | null,
): void {
  if (bytes > MAX_READ) {
    throw new DomainError(
      'file_too_large',
      `A write that a user has to approve or confirm has at most ${MAX_READ / 1024} KiB. Ask an operator to write this file.`,
    );
  }
  if (file !== null && file.kind !== 'file') {
    throw new DomainError('not_a_file', 'This is not a regular file; nothing was requested.');
  }
  if (file !== null && file.sha256 === null) {
    throw new DomainError('file_too_large', 'The file to replace is too large; nothing was requested.');
  }
  if (ifMatch !== undefined && ifMatch !== file?.sha256) {
    throw new DomainError('changed_since_read', 'The file is not the one that you read. Read it again.');
  }
}

/** What a reviewer sees of a change, besides the path. */
interface Preview {
  readonly summary: string;
  readonly facts?: readonly ChangeFact[];
  readonly diff?: string | null;
}

const KINDS = { file: 'file', dir: 'directory', link: 'link', other: 'special file' } as const;

const childOf = (p: string, name: string): string => String(JailPath.parse(p).child(name));
const pathOf = (change: Exclude<FileChange, { kind: 'rename_file' }>): string =>
  change.kind === 'delete_file' ? change.p : childOf(change.p, change.name);

const stateOf = ({ kind, size, modifiedAt, sha256 }: InspectedFile): object => ({
  kind,
  size,
  ...(sha256 === null ? { modifiedAt } : { sha256 }),
});

function found(file: InspectedFile | null, at: string): InspectedFile {
  if (file !== null) return file;
  throw new DomainError('file_not_found', `There is no ${at} in the file root.`);
}

const exists = (at: string): DomainError =>
  new DomainError('file_exists', `${at} already exists; nothing was requested.`);

const sizes = (before: number | null, after: number | null): ChangeFact => ({
  name: 'Size',
  before: before === null ? null : `${before} bytes`,
  after: after === null ? null : `${after} bytes`,
});

const hidden = (text: string | null): readonly ChangeFact[] =>
  text === null ? [{ name: 'Present content', before: null, after: 'not text or too long: not shown' }] : [];

/** Null: not text, or not read to its end. */
function textOf(content: Uint8Array | null): string | null {
  if (content === null || content.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}

function linesOf(diff: string): string {
  const lines = diff.split('\n');
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return `+${count('+')} −${count('-')} lines`;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
