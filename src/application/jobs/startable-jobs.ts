import type { Actor } from '../../domain/access/actor.ts';
import type { BackupSource } from '../../domain/backups/backup-source.ts';
import type { Deployment } from '../../domain/compose/deployment.ts';
import { switchedOff } from '../../domain/fleet/host-flag.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import { controlRefusal } from '../../domain/fleet/own-machine.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { featureOf, type JobType, PLAIN_JOB_TYPES } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';

/** A compose project as the last inventory found it. */
export interface KnownProject {
  readonly directory: string;
  readonly services: readonly string[];
}

export interface StartableType {
  readonly type: JobType;
  /** Why it cannot be started on this server, in a sentence; `null` if it can. */
  readonly reason: string | null;
  /** The server's feature is off: the user can fix that. */
  readonly switchedOff: boolean;
}

export interface StartableJobs {
  readonly server: Server;
  readonly types: readonly StartableType[];
  readonly sources: readonly BackupSource[];
  readonly projects: readonly KnownProject[];
  readonly deployments: readonly Deployment[];
}

const MAX_DEPLOYMENTS = 200;

/** Which jobs a server is ready for, and of what: from stored facts, without contacting the host. */
export class ListStartableJobs extends UseCase<
  'servers' | 'sources' | 'inventories' | 'deployments' | 'templates' | 'runners'
> {
  /** Throws `server_not_found`. */
  async execute(actor: Actor, serverId: number): Promise<StartableJobs> {
    actor.require('jobs', serverId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    const [sources, inventory, deployed, templates] = await Promise.all([
      this.deps.sources.ofServer(serverId),
      this.deps.inventories.find(serverId),
      this.deps.deployments.list({ serverId }, { limit: MAX_DEPLOYMENTS, offset: 0 }),
      this.deps.templates.list({ limit: 1, offset: 0 }),
    ]);
    const known = {
      hasSources: sources.length > 0,
      hasDeployments: deployed.total > 0,
      hasTemplates: templates.total > 0,
      inventory,
    };
    const types = PLAIN_JOB_TYPES.filter((type) => this.deps.runners.find(type) !== null).map(
      (type): StartableType => {
        const off = switchedOff(server, type);
        const reason = off === null ? missing(actor, server, type, known) : 'The feature is off.';
        return { type, reason, switchedOff: off !== null };
      },
    );
    return { server, types, sources, projects: projectsOf(inventory), deployments: deployed.items };
  }
}

function missing(
  actor: Actor,
  server: Server,
  type: JobType,
  known: {
    readonly hasSources: boolean;
    readonly hasDeployments: boolean;
    readonly hasTemplates: boolean;
    readonly inventory: Inventory | null;
  },
): string | null {
  const refusal = controlRefusal(actor, server, `job.${type}`);
  if (refusal?.code === 'own_machine_restricted') return refusal.message;
  if (featureOf(type) === 'backup' && !known.hasSources) return 'There is no backup source yet.';
  if (type === 'host_reboot' && server.address.connection === 'local') {
    return 'The service itself runs on this machine.';
  }
  if (featureOf(type) === 'docker' && known.inventory !== null && known.inventory.containerEngine === null) {
    return 'The last inventory found no container engine.';
  }
  if (type === 'template_deploy' && server.composeDirs.length === 0) {
    return 'The server has no compose directory to deploy into.';
  }
  if (type === 'template_deploy' && !known.hasTemplates) return 'There is no template yet.';
  if (type === 'template_redeploy' && !known.hasDeployments) return 'Nothing was deployed from a template.';
  return null;
}

function projectsOf(inventory: Inventory | null): readonly KnownProject[] {
  const projects = new Map<string, Set<string>>();
  for (const { path, service } of inventory?.containers ?? []) {
    if (path === null) continue;
    const services = projects.get(path) ?? new Set();
    if (service !== null) services.add(service);
    projects.set(path, services);
  }
  return [...projects]
    .map(([directory, services]) => ({ directory, services: [...services].toSorted() }))
    .toSorted((a, b) => (a.directory < b.directory ? -1 : 1));
}
