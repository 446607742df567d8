import { type Actor, serverNotFound } from '../../domain/access/actor.ts';
import { DomainError } from '../../domain/base/errors.ts';
import type { AuditEntry } from '../../domain/events/audit-entry.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';

/** A change of a server, of something on it, or a job that was requested for it. */
export type ServerEvent = Pick<AuditEntry, 'at' | 'actorName' | 'actorKind' | 'action' | 'object' | 'detail'>;

/** What workers write of every job; the request says who started it. */
const ROUTINE = ['job.start', 'job.finish', 'approval.plan', 'read'];

export class GetServer extends UseCase<'servers' | 'audit'> {
  /** Throws `server_not_found`. */
  async execute(actor: Actor, id: number): Promise<Server> {
    actor.require('read');
    return existingServer(this.deps.servers, actor, id);
  }

  /** The latest changes, newest first. Throws `server_not_found`. */
  async changes(actor: Actor, id: number, limit: number): Promise<readonly ServerEvent[]> {
    actor.require('read');
    actor.requireServer(id);
    const filter = { serverId: id, outcome: 'done', except: ROUTINE } as const;
    return (await this.deps.audit.list(filter, { limit, offset: 0, uncounted: true })).items;
  }

  /** The server of that name. Throws `server_not_found`. */
  async named(actor: Actor, name: string): Promise<Server> {
    actor.require('read');
    const server = await this.deps.servers.findByName(name);
    if (server && actor.maySee(server.id)) return server;
    throw new DomainError('server_not_found', `There is no server named "${name.slice(0, 63)}".`);
  }
}

/** The server, if it is there and the actor may know of it; else `server_not_found` either way. */
export async function existingServer(servers: ServerStore, actor: Actor, id: number): Promise<Server> {
  actor.requireServer(id);
  const server = await servers.find(id);
  if (!server) throw serverNotFound(id);
  return server;
}
