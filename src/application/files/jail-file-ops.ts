import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { EntryFacts } from '../../domain/files/directory-entry.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { type ShownName, shownName } from '../../domain/files/shown-name.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { FileVersion, JailFs, JailOptions, WriteOptions } from '../ports/files/jail-fs.ts';
import { type InspectedFile, inspectFile } from './inspect-file.ts';
import type { AdmittedJail, JailAccess } from './jail-access.ts';
import { type FilePart, MAX_READ, type ReadRange, readPart } from './read-part.ts';

/** The most entries of a directory that are listed at once. */
export const MAX_LISTED = 500;
/** The maximum to read, so that pages of a directory are sorted by name. */
const MAX_SCANNED = 10_000;
export interface Listing {
  readonly jail: string;
  readonly path: JailPath;
  readonly entries: readonly (EntryFacts & {
    readonly shown: ShownName;
    /** File tools do not touch it. */
    readonly denied: boolean;
  })[];
  /** There are more after these. */
  readonly truncated: boolean;
  /** How many there are, up to the 10,000 that are read. */
  readonly total: number;
  readonly offset: number;
}

export interface Download {
  readonly path: JailPath;
  readonly size: number;
  readonly sha256: string;
  /** As of `JailFs.readStream`. */
  readonly content: Awaited<ReturnType<JailFs['readStream']>>['content'];
}

export interface WriteOrder {
  /** The directory, and the file's name in it. */
  readonly p: string;
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** The SHA-256 that the file must still have. */
  readonly ifMatch?: string | undefined;
  /** Nothing may have the name yet. */
  readonly onlyNew?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** `bulk` for large results. */
  readonly purpose?: JailOptions['purpose'];
}

export interface WrittenFile {
  readonly path: JailPath;
  readonly size: number;
  readonly sha256: string;
  readonly before: FileVersion | null;
}

/** A place on a server as callers give it. */
interface Target {
  readonly actor: Actor;
  readonly serverId: number;
  readonly action: string;
  readonly changes?: true;
  /** The caller's input, for the audit log. */
  readonly given: { readonly [field: string]: string };
}

/**
 * Files of servers, limited to each server's file root. Paths are parsed here; every refusal and every change is in
 * the audit log. Changes throw `approval_required`; all throw as `JailAccess.admit`, `JailPath.parse`
 * (`invalid_input`), `DeniedNames.refuse` (`path_refused`) and `JailFs` do.
 */
export class JailFileOps extends UseCase<
  'audit' | 'clock' | 'mostBytes',
  { readonly jailAccess: JailAccess; readonly refusals: RefusalAuditor }
> {
  /** The largest file that is taken or given, in bytes. */
  get mostBytes(): number {
    return this.deps.mostBytes;
  }

  /** By name. */
  list(
    actor: Actor,
    serverId: number,
    p: string,
    { limit, offset }: { readonly limit: number; readonly offset: number } = { limit: MAX_LISTED, offset: 0 },
  ): Promise<Listing> {
    return this.#do({ actor, serverId, action: 'file.list', given: { p } }, async (jail) => {
      const path = allowed(jail, pathIn(jail, p));
      const { entries, truncated } = await this.deps.jailAccess.work(jail, {}, (fs) =>
        fs.list(path, MAX_SCANNED),
      );
      const listed = entries.slice(offset, offset + limit).map(({ name, ...facts }) => {
        const shown = shownName(name);
        return { ...facts, shown, denied: !shown.escaped && jail.denied.deny(path, shown.text) };
      });
      return {
        jail: jail.directory,
        path,
        entries: listed,
        truncated: truncated || offset + listed.length < entries.length,
        total: entries.length,
        offset,
      };
    });
  }

  stat(actor: Actor, serverId: number, p: string): Promise<EntryFacts & { readonly path: JailPath }> {
    return this.#do({ actor, serverId, action: 'file.stat', given: { p } }, async (jail) => {
      const path = allowed(jail, pathIn(jail, p));
      return { path, ...(await this.deps.jailAccess.work(jail, {}, (fs) => fs.stat(path))) };
    });
  }

  /** At most `MAX_READ` bytes. Throws `invalid_input` for lines further into a file than 8 MiB. */
  read(actor: Actor, serverId: number, p: string, range: ReadRange = { offset: 0 }): Promise<FilePart> {
    return this.#do({ actor, serverId, action: 'file.read', given: { p } }, async (jail) => {
      const path = allowed(jail, pathIn(jail, p));
      const part = await this.deps.jailAccess.work(jail, {}, (fs) => readPart(fs, path, range));
      return { path, ...part };
    });
  }

  /**
   * What a change would find at a path whose directory exists, and the server's name. `file` is null if nothing has
   * the path.
   */
  inspect(
    actor: Actor,
    serverId: number,
    p: string,
  ): Promise<{ readonly serverName: string; readonly file: InspectedFile | null }> {
    return this.#do({ actor, serverId, action: 'file.inspect', given: { p } }, async (jail) => {
      const path = allowed(jail, JailPath.parse(p));
      const file = await this.deps.jailAccess.work(jail, {}, (fs) =>
        inspectFile(fs, path, { most: this.deps.mostBytes, read: MAX_READ }),
      );
      return { serverName: jail.server.name, file };
    });
  }

  /** The caller reads the content to its end, or destroys it. */
  download(actor: Actor, serverId: number, p: string, signal?: AbortSignal): Promise<Download> {
    return this.#do({ actor, serverId, action: 'file.download', given: { p } }, async (jail) => {
      const path = allowed(jail, pathIn(jail, p));
      const options = { purpose: 'bulk' as const, ...(signal ? { signal } : {}) };
      const read = (fs: JailFs): ReturnType<JailFs['readStream']> => fs.readStream(path, this.deps.mostBytes);
      return { path, ...(await this.deps.jailAccess.work(jail, options, read)) };
    });
  }

  write(actor: Actor, serverId: number, order: WriteOrder): Promise<WrittenFile> {
    const { p, name, ifMatch, onlyNew, signal, purpose } = order;
    return this.#do(
      { actor, serverId, action: 'file.write', changes: true, given: { p, name } },
      async (jail, note) => {
        const path = allowed(jail, pathIn(jail, p).child(name));
        const options: WriteOptions = {
          expect: onlyNew ? 'absent' : ifMatch === undefined ? 'any' : { sha256: sha256Of(ifMatch) },
          most: this.deps.mostBytes,
        };
        const opening = { ...(signal ? { signal } : {}), ...(purpose ? { purpose } : {}) };
        const written = await this.deps.jailAccess.work(jail, opening, (fs) =>
          fs.write(path, order.content, options),
        );
        const { size, sha256, before } = written;
        await note({ path: String(path), size, sha256, before });
        return { path, size, sha256, before };
      },
    );
  }

  makeDirectory(actor: Actor, serverId: number, p: string, name: string): Promise<JailPath> {
    return this.#do(
      { actor, serverId, action: 'file.mkdir', changes: true, given: { p, name } },
      async (jail, note) => {
        const path = allowed(jail, pathIn(jail, p).child(name));
        await this.deps.jailAccess.work(jail, {}, (fs) => fs.makeDirectory(path));
        await note({ path: String(path) });
        return path;
      },
    );
  }

  /** Both names are in the directory `p`. */
  rename(
    actor: Actor,
    serverId: number,
    { p, src, dest }: { readonly p: string; readonly src: string; readonly dest: string },
  ): Promise<{ readonly from: JailPath; readonly to: JailPath }> {
    return this.#do(
      { actor, serverId, action: 'file.rename', changes: true, given: { p, src, dest } },
      async (jail, note) => {
        const directory = pathIn(jail, p);
        const from = allowed(jail, directory.child(src, '/src'));
        const to = allowed(jail, directory.child(dest, '/dest'));
        await this.deps.jailAccess.work(jail, {}, (fs) => fs.rename(from, dest));
        await note({ path: String(from), to: String(to) });
        return { from, to };
      },
    );
  }

  /** A file, a link, or an empty directory. */
  remove(actor: Actor, serverId: number, p: string): Promise<JailPath> {
    return this.#do(
      { actor, serverId, action: 'file.delete', changes: true, given: { p } },
      async (jail, note) => {
        const path = allowed(jail, pathIn(jail, p));
        const { kind, size } = await this.deps.jailAccess.work(jail, {}, (fs) => fs.remove(path));
        await note({ path: String(path), kind, size });
        return path;
      },
    );
  }

  #do<T>(
    { actor, serverId, action, changes, given }: Target,
    work: (jail: AdmittedJail, note: (detail: object) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const object = `server:${serverId}`;
    const note = (detail: object): Promise<void> =>
      this.deps.audit.record(auditEntry(actor, this.deps.clock.now(), action, object, { ...detail }));
    return this.deps.refusals.watch({ actor, action, object, detail: shortened(given) }, async () => {
      actor.require('files', serverId);
      if (changes) actor.requireNoApproval();
      return work(await this.deps.jailAccess.admit(actor, serverId), note);
    });
  }
}

const pathIn = ({ directory }: AdmittedJail, p: string): JailPath => JailPath.parse(p, '/p', directory);

function allowed({ denied }: AdmittedJail, path: JailPath): JailPath {
  denied.refuse(path);
  return path;
}

function sha256Of(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidInput([{ path: '/if_match', message: 'A SHA-256 has 64 lower-case hex digits.' }]);
}

/** Refused input may have any length. */
const shortened = (given: Target['given']): Target['given'] =>
  Object.fromEntries(Object.entries(given).map(([field, text]) => [field, text.slice(0, 300)]));
