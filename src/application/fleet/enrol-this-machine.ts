import { Actor } from '../../domain/access/actor.ts';
import { describeSource } from '../../domain/backups/backup-source.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { describeServer } from '../../domain/fleet/server-description.ts';
import { UseCase } from '../base/use-case.ts';

const ENROLLED = 'this_machine_enrolled';
const FIRST_START = Actor.system('first start');

/**
 * On the first start, adds the service's own machine to the fleet, with one backup source: the service's own data.
 * Later starts change nothing, even if an operator removed it.
 */
export class EnrolThisMachine extends UseCase<
  'servers' | 'sources' | 'settings' | 'serviceData' | 'clock' | 'machineName'
> {
  /**
   * The server, if this start added it; `null` if an earlier one did. An interrupted start is completed by the next.
   */
  async execute(): Promise<Server | null> {
    if ((await this.deps.settings.get(ENROLLED)) !== null) return null;
    const at = this.deps.clock.now();
    const name = this.#usableName();
    const server =
      (await this.#enrolled(name, at)) ?? (await this.#enrolled(`${name.slice(0, 57)}-local`, at));
    if (server) await this.#ensureSource(server, at);
    const isOurs = await this.deps.settings.setOnce(ENROLLED, new Date(at).toISOString());
    return isOurs ? server : null;
  }

  /** This machine under that name, added if the name is free; `null` if another host has it. */
  async #enrolled(name: string, at: Instant): Promise<Server | null> {
    try {
      return await this.deps.servers.add(
        describeServer({ name, connection: 'local', features: { backup: true } }),
        at,
        (added) => ({
          audit: [auditEntry(FIRST_START, at, 'server.add', `server:${added.id}`, { name: added.name })],
        }),
      );
    } catch (error) {
      if (!isDomainError(error, 'name_taken')) throw error;
      // By a start that was cut off, or by another process that is starting just now.
      const holder = await this.deps.servers.findByName(name);
      return holder?.address.connection === 'local' ? holder : null;
    }
  }

  async #ensureSource(server: Server, at: Instant): Promise<void> {
    const sources = await this.deps.sources.ofServer(server.id);
    if (sources.some(({ kind }) => kind === 'service')) return;
    try {
      await this.deps.sources.add(
        {
          ...describeSource({
            serverId: server.id,
            name: 'drover',
            paths: [this.deps.serviceData.directory],
            at,
          }),
          kind: 'service',
        },
        (source) => ({
          audit: [auditEntry(FIRST_START, at, 'source.add', `source:${source.id}`, { name: source.name })],
        }),
      );
    } catch (error) {
      if (!isDomainError(error, 'name_taken')) throw error;
    }
  }

  #usableName(): string {
    const name = this.deps.machineName
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63);
    return name === '' ? 'this-machine' : name;
  }
}
