import { isConfirmed } from '../../domain/access/session.ts';
import { DomainError } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { DeniedNames, SYSTEM_SECRETS } from '../../domain/files/denied-names.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { shownName } from '../../domain/files/shown-name.ts';
import type { Visitor } from '../access/sessions.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { type Download, type Listing, MAX_LISTED } from '../files/jail-file-ops.ts';
import type { JailFs, JailOptions } from '../ports/files/jail-fs.ts';
import { existingServer } from './get-server.ts';
import type { HostOpener } from './host-opener.ts';

/** Kernel file systems: memory, environments of programs, devices. */
const NOT_FILES = ['proc', 'sys', 'dev'];
const ROOT = '/';

interface Target {
  readonly visitor: Visitor;
  readonly serverId: number;
  readonly action: string;
  readonly p: string;
}

interface Look {
  readonly fs: JailFs;
  readonly path: JailPath;
  readonly denied: DeniedNames;
  readonly note: () => Promise<void>;
}

/**
 * Read-only access to all of a host's files, as the login account, if the operator of the service has allowed it:
 * directories and single files. For administrators in person, like `PrivilegedFileOps`. Files that file tools never
 * return are not returned, nor similar ones of a whole system.
 */
export class LookAtHost extends UseCase<
  'servers' | 'jails' | 'audit' | 'clock' | 'mostBytes' | 'hostFiles',
  { readonly opener: Pick<HostOpener, 'accessTo'>; readonly refusals: RefusalAuditor }
> {
  readonly enabled = this.deps.hostFiles;

  /** `p`: from the root directory, without leading slash. Throws as `JailFs.list`, and `path_refused`. */
  list(visitor: Visitor, serverId: number, p: string): Promise<Listing> {
    return this.#do({ visitor, serverId, action: 'host.list', p }, {}, async ({ fs, path, denied, note }) => {
      const { entries, truncated } = await fs.list(path, MAX_LISTED);
      await note();
      const listed = entries.map(({ name, ...facts }) => {
        const shown = shownName(name);
        const isDenied = denied.deny(path, shown.text) || (path.isRoot && NOT_FILES.includes(shown.text));
        return { ...facts, shown, denied: !shown.escaped && isDenied };
      });
      return { jail: ROOT, path, entries: listed, truncated, total: listed.length, offset: 0 };
    });
  }

  /** The caller reads the content to its end, or destroys it. Throws as `JailFs.readStream`, and `path_refused`. */
  download(visitor: Visitor, serverId: number, p: string, signal: AbortSignal): Promise<Download> {
    const options = { purpose: 'bulk', signal } as const;
    return this.#do(
      { visitor, serverId, action: 'host.download', p },
      options,
      async ({ fs, path, note }) => {
        const file = await fs.readStream(path, this.deps.mostBytes);
        await note().catch((error: unknown) => {
          file.content.destroy();
          throw error;
        });
        return { path, ...file };
      },
    );
  }

  #do<T>(
    { visitor, serverId, action, p }: Target,
    options: JailOptions,
    work: (look: Look) => Promise<T>,
  ): Promise<T> {
    const { actor } = visitor;
    const object = `server:${serverId}`;
    const detail = { p: p.slice(0, 300) };
    return this.deps.refusals.watch({ actor, action, object, detail }, async () => {
      requireAdministratorInPerson(visitor, serverId, this.deps.clock.now());
      if (!this.enabled) throw switchedOff();
      const server = await existingServer(this.deps.servers, actor, serverId);
      const path = JailPath.parse(p);
      const denied = new DeniedNames([...SYSTEM_SECRETS, ...server.jailDeny], '/');
      denied.refuse(path);
      if (NOT_FILES.includes(path.names[0] ?? '')) throw noFiles(path);
      const access = await this.deps.opener.accessTo(server);
      const fs = await this.deps.jails.open(access, ROOT, { ...options, wholeHost: true });
      try {
        const note = (): Promise<void> =>
          this.deps.audit.record(auditEntry(actor, this.deps.clock.now(), action, object, detail));
        return await work({ fs, path, denied, note });
      } finally {
        fs.close();
      }
    });
  }
}

const switchedOff = (): DomainError =>
  new DomainError(
    'files_not_configured',
    'Browsing whole hosts is disabled. Set SERVICE_HOST_FILES=1 to allow it.',
  );

const noFiles = (path: JailPath): DomainError =>
  new DomainError('path_refused', `"/${String(path)}" belongs to the kernel and cannot be browsed.`);

/**
 * Lets an administrator through who sits in front of a page and gave the password a short while ago: no token, no command,
 * no schedule. Throws `role_missing`, `confirmation_needed`.
 */
export function requireAdministratorInPerson(
  { actor, user, session }: Visitor,
  serverId: number,
  now: Instant,
): void {
  if (actor.kind !== 'user' || actor.id !== user.id) {
    throw new DomainError('role_missing', 'This is only possible in the web UI.');
  }
  actor.requireRole('administrator', serverId);
  if (isConfirmed(session, now)) return;
  throw new DomainError('confirmation_needed', 'Enter your password again to continue.');
}
