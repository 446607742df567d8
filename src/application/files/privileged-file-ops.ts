import type { Readable } from 'node:stream';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import type { Visitor } from '../access/sessions.ts';
import { untilClosed } from '../base/until-closed.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { requireAdministratorInPerson } from '../fleet/look-at-host.ts';
import { MAX_ARCHIVED_BYTES } from '../ports/files/archiver.ts';
import { MAX_IN_TREE, type Tree } from '../ports/files/jail-fs.ts';
import type { AdmittedJail, JailAccess } from './jail-access.ts';
import { deniedIn, packTree } from './pack-tree.ts';

/** The contents of a directory, before an action on all of it. */
export interface TreePreview {
  readonly jail: string;
  readonly path: JailPath;
  readonly entries: number;
  readonly bytes: number;
  /** There is more, or a part could not be read. */
  readonly partial: boolean;
  /** Some of the denied names, for display. */
  readonly denied: readonly string[];
}

interface Target {
  readonly visitor: Visitor;
  readonly serverId: number;
  readonly action: string;
  readonly p: string;
}

/**
 * Actions beyond single files: removing or packing whole directories, permissions. For administrators in the web UI
 * who confirmed their password recently. No operation for agents or scripts leads here, and any other actor is
 * refused, whatever its rights.
 */
export class PrivilegedFileOps extends UseCase<
  'archiver' | 'audit' | 'clock' | 'mostBytes',
  { readonly jailAccess: JailAccess; readonly refusals: RefusalAuditor }
> {
  /** What `removeTree` would remove. Throws as `JailFs.tree`. */
  preview(visitor: Visitor, serverId: number, p: string): Promise<TreePreview> {
    return this.#do({ visitor, serverId, action: 'file.preview_tree', p }, async (jail, path) =>
      previewOf(jail, path, await this.deps.jailAccess.work(jail, {}, (fs) => fs.tree(path, MAX_IN_TREE))),
    );
  }

  /**
   * Removes a directory with all contents. `confirmation`: its name again. Throws `invalid_input`, `path_refused` if
   * something below it is denied, `file_too_large` if it has too many entries, and as `JailFs.removeTree`.
   */
  removeTree(visitor: Visitor, serverId: number, p: string, confirmation: string): Promise<TreePreview> {
    return this.#do({ visitor, serverId, action: 'file.delete_tree', p }, async (jail, path, note) => {
      if (confirmation.trim() !== path.entry.name) throw notNamed(path);
      const gone = await this.deps.jailAccess.work(jail, {}, async (fs) => {
        const preview = previewOf(jail, path, await fs.tree(path, MAX_IN_TREE));
        assertWhole(preview, 'delete it in parts');
        assertNothingDenied(preview);
        await fs.removeTree(path);
        return preview;
      });
      await note({ path: String(path), entries: gone.entries, bytes: gone.bytes });
      return gone;
    });
  }

  /** The permissions of a file or directory. */
  mode(visitor: Visitor, serverId: number, p: string): Promise<number> {
    return this.#do({ visitor, serverId, action: 'file.mode', p }, (jail, path) =>
      this.deps.jailAccess.work(jail, {}, (fs) => fs.mode(path)),
    );
  }

  /** `mode`: three octal digits, or four with a leading zero. Throws `invalid_input`, and as `JailFs.changeMode`. */
  changeMode(visitor: Visitor, serverId: number, p: string, mode: string): Promise<void> {
    return this.#do({ visitor, serverId, action: 'file.chmod', p }, async (jail, path, note) => {
      const to = permissionsOf(mode);
      const from = await this.deps.jailAccess.work(jail, {}, (fs) => fs.changeMode(path, to));
      await note({ path: String(path), from: octal(from), to: octal(to) });
    });
  }

  /**
   * A directory as a ZIP file, created while it is sent; denied names and anything but plain files are omitted and
   * listed in it. Throws `file_too_large` before anything is sent. The caller reads the content to its end, or
   * destroys it.
   */
  zip(
    visitor: Visitor,
    serverId: number,
    p: string,
    signal: AbortSignal,
  ): Promise<{ readonly name: string; readonly content: Readable }> {
    return this.#do({ visitor, serverId, action: 'file.zip', p }, async (jail, path, note) => {
      const fs = await this.deps.jailAccess.open(jail, { signal });
      try {
        const tree = await fs.tree(path, MAX_IN_TREE);
        const preview = previewOf(jail, path, tree);
        assertWhole(preview, 'download it in parts');
        if (preview.bytes > MAX_ARCHIVED_BYTES) throw tooMuch(path, 'download it in parts');
        await note({ path: String(path), entries: preview.entries, bytes: preview.bytes });
        const content = this.deps.archiver.zip(
          packTree({ fs, denied: jail.denied, path, tree, mostBytes: this.deps.mostBytes }, signal),
        );
        void untilClosed(content, signal).then(() => fs.close());
        return { name: `${path.names.at(-1) ?? jail.server.name}.zip`, content };
      } catch (error) {
        fs.close();
        throw error;
      }
    });
  }

  #do<T>(
    { visitor, serverId, action, p }: Target,
    work: (jail: AdmittedJail, path: JailPath, note: (detail: object) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const { actor } = visitor;
    const object = `server:${serverId}`;
    const note = (detail: object): Promise<void> =>
      this.deps.audit.record(auditEntry(actor, this.deps.clock.now(), action, object, { ...detail }));
    return this.deps.refusals.watch({ actor, action, object, detail: { p: p.slice(0, 300) } }, async () => {
      requireAdministratorInPerson(visitor, serverId, this.deps.clock.now());
      const jail = await this.deps.jailAccess.admit(actor, serverId);
      const path = JailPath.parse(p);
      jail.denied.refuse(path);
      return work(jail, path, note);
    });
  }
}

/** How many denied names to show; a directory with any of them is refused. */
const MAX_DENIED = 5;

const previewOf = (jail: AdmittedJail, path: JailPath, { entries, partial }: Tree): TreePreview => ({
  jail: jail.directory,
  path,
  entries: entries.length,
  bytes: entries.reduce((sum, { kind, size }) => sum + (kind === 'file' ? size : 0), 0),
  partial,
  denied: deniedIn(entries, jail.denied).slice(0, MAX_DENIED),
});

function assertWhole({ partial, path }: TreePreview, instead: string): void {
  if (partial) throw tooMuch(path, instead);
}

const tooMuch = (path: JailPath, instead: string): DomainError =>
  new DomainError(
    'file_too_large',
    `"${String(path)}" is too large (more than ${MAX_IN_TREE} entries or 2 GiB), or part of it cannot be read; ${instead}, or on the host.`,
  );

function assertNothingDenied({ denied, path }: TreePreview): void {
  if (denied.length === 0) return;
  throw new DomainError(
    'path_refused',
    `"${String(path)}" contains names that file tools do not access: ${denied.join(', ')}. Remove them on the host first.`,
  );
}

const notNamed = (path: JailPath): InvalidInput =>
  new InvalidInput([
    { path: '/confirmation', message: `To confirm, enter the directory's name exactly: ${path.entry.name}` },
  ]);

function permissionsOf(text: string): number {
  if (/^0?[0-7]{3}$/.test(text)) return Number.parseInt(text, 8);
  throw new InvalidInput([
    {
      path: '/mode',
      message:
        'Must be three octal digits, such as 644 or 750. The setuid, setgid and sticky bits cannot be set here.',
    },
  ]);
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
