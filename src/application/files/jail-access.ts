import type { Actor } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { shellCommand } from '../../domain/base/shell-command.ts';
import { DeniedNames } from '../../domain/files/denied-names.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { HostOpener } from '../fleet/host-opener.ts';
import type { JailFs, JailOptions } from '../ports/files/jail-fs.ts';

/** A server whose files the caller may work with. */
export interface AdmittedJail {
  readonly server: Server;
  readonly directory: string;
  readonly denied: DeniedNames;
}

/** Admits callers to file roots: checks rights, parameters and existence before it reads a path. */
export class JailAccess extends UseCase<
  'servers' | 'jails',
  { readonly opener: Pick<HostOpener, 'accessTo'> }
> {
  /** Throws `scope_missing`, `server_not_found`, what `requireControl` throws, `files_not_configured`, in this order. */
  async admit(actor: Actor, serverId: number): Promise<AdmittedJail> {
    actor.require('files', serverId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    requireControl(actor, server, 'files');
    if (server.jail === null) {
      throw new DomainError(
        'files_not_configured',
        `${server.name} has no file root ("jail"), so it has no file tools; an operator can set one with \`${shellCommand`drover server edit ${server.id} --jail DIRECTORY`}\`.`,
      );
    }
    return { server, directory: server.jail, denied: new DeniedNames(server.jailDeny, server.jail) };
  }

  /** For longer work; the caller closes it. Throws as `JailFileSystems.open`. */
  async open({ server, directory }: AdmittedJail, options: JailOptions): Promise<JailFs> {
    return this.deps.jails.open(await this.deps.opener.accessTo(server), directory, options);
  }

  /** Runs work in the file root, then closes it. Throws as `JailFileSystems.open`. */
  async work<T>(jail: AdmittedJail, options: JailOptions, work: (fs: JailFs) => Promise<T>): Promise<T> {
    const fs = await this.open(jail, options);
    try {
      return await work(fs);
    } finally {
      fs.close();
    }
  }
}
