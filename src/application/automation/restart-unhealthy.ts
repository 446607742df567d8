import { type PatchPolicy, policyOf } from '../../domain/automation/patch-policy.ts';
import {
  checkedService,
  covers,
  needsRestart,
  type RestartRule,
  restarted,
  type WatchedService,
} from '../../domain/automation/unhealthy-service.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import type { ComposeProject } from '../../domain/compose/compose.ts';
import { isUnreachable } from '../../domain/fleet/fleet-conditions.ts';
import { MAX_HOSTS } from '../../domain/fleet/host-selector.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { type HostOpener, withHost } from '../fleet/host-opener.ts';
import { paramsOf } from '../jobs/job-params.ts';
import type { StartPolicyJob } from './start-policy-job.ts';

const AT_ONCE = 8;
/** Of one server; others are not restarted. */
const MAX_WATCHED = 200;

interface Target {
  readonly server: Server;
  readonly policy: Pick<PatchPolicy, 'name'>;
  readonly rule: RestartRule;
}

/** Restarts services of Compose projects that stay unhealthy, on servers whose policy says so. */
export class RestartUnhealthy extends UseCase<
  'selection' | 'watchedServices' | 'clock' | 'log' | 'policies.list' | 'servers.find' | 'engine.survey',
  { readonly opener: Pick<HostOpener, 'open'>; readonly startPolicyJob: Pick<StartPolicyJob, 'execute'> }
> {
  /** One check of each of these servers. */
  async execute(signal: AbortSignal): Promise<void> {
    const targets = await this.#targets();
    await this.deps.watchedServices.keepServers(targets.map(({ server }) => server.id));
    // The inventory finds out when a server can be reached again.
    const waiting = targets.filter(({ server }) => !isUnreachable(server));
    const takeOne = async (): Promise<void> => {
      for (let target = waiting.shift(); target && !signal.aborted; target = waiting.shift()) {
        await this.#check(target, signal).catch((error: unknown) => {
          if (signal.aborted) return;
          const about = { serverId: target?.server.id, error: String(error) };
          this.deps.log.warn('could not check the health of containers', about);
        });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeOne));
  }

  async #targets(): Promise<readonly Target[]> {
    const policies = await this.deps.policies.list();
    const targets: Target[] = [];
    for (const policy of policies) {
      const rule = policy.restartUnhealthy;
      if (rule === null) continue;
      for (const selected of await this.deps.selection.select(policy.selector, null, MAX_HOSTS)) {
        if (!selected.features.docker || policyOf(policies, selected) !== policy) continue;
        const server = await this.deps.servers.find(selected.id);
        if (server) targets.push({ server, policy, rule });
      }
    }
    return targets;
  }

  async #check(target: Target, signal: AbortSignal): Promise<void> {
    const { server, rule } = target;
    const { watchedServices, clock } = this.deps;
    const projects = (await this.#projects(server, signal)).filter(({ project }) => covers(rule, project));
    const known = new Map((await watchedServices.ofServer(server.id)).map((each) => [keyOf(each), each]));
    const at = clock.now();
    const now: WatchedService[] = [];
    for (const { directory, services } of projects) {
      for (const { name: service, health } of services) {
        const fresh = { serverId: server.id, directory, service, checks: 0, restarts: [], gaveUpAt: null };
        const before = known.get(keyOf(fresh)) ?? fresh;
        known.delete(keyOf(fresh));
        const after = checkedService(before, health, { rule, at });
        if (after !== null) now.push(after);
      }
    }
    // Their containers are gone for now: how often they were restarted still counts.
    for (const gone of known.values()) {
      const after = checkedService(gone, null, { rule, at });
      if (after !== null) now.push(after);
    }
    let watched = now.slice(0, MAX_WATCHED);
    const save = async (service: WatchedService, to: WatchedService): Promise<void> => {
      watched = watched.map((each) => (each === service ? to : each));
      await watchedServices.replace(server.id, watched, (each) => labelOf(projects, each));
    };
    await watchedServices.replace(server.id, watched, (each) => labelOf(projects, each));
    for (const service of watched.filter((each) => needsRestart(each, rule))) {
      // Counted first: a crash in between starts no more than the rule allows.
      const counted = restarted(service, at);
      await save(service, counted);
      if (!(await this.#restart(target, service))) await save(counted, service);
    }
  }

  /** Those that Drover can work with. */
  async #projects(server: Server, signal: AbortSignal): Promise<readonly ComposeProject[]> {
    const { projects } = await withHost(this.deps.opener, server, { signal }, (host) =>
      this.deps.engine.survey(host, { directories: [], signal }),
    );
    return projects.filter(({ problem }) => problem === null);
  }

  /** Returns whether the restart was requested: another job or a closed maintenance window delays it. */
  async #restart({ server, policy, rule }: Target, service: WatchedService): Promise<boolean> {
    const found = rule.checks === 1 ? 'A check' : `${rule.checks} checks in a row`;
    try {
      await this.deps.startPolicyJob.execute({
        server,
        type: 'docker_stack_restart',
        params: paramsOf('docker_stack_restart', {
          sourceFilter: service.directory,
          service: service.service,
        }),
        reason: `${found} found it unhealthy, and the policy ${policy.name} then restarts it.`,
        after: null,
      });
      return true;
    } catch (error) {
      if (!isDomainError(error)) throw error;
      const about = { serverId: server.id, service: service.service, code: error.code };
      this.deps.log.info('the restart of an unhealthy service has to wait', about);
      return false;
    }
  }
}

const keyOf = ({ directory, service }: Pick<WatchedService, 'directory' | 'service'>): string =>
  JSON.stringify([directory, service]);

/** `shop/web`. */
function labelOf(
  projects: readonly Pick<ComposeProject, 'directory' | 'project'>[],
  { directory, service }: WatchedService,
): string {
  const project = projects.find((each) => each.directory === directory)?.project ?? directory;
  return `${project}/${service}`;
}
