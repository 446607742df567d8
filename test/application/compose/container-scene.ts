import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { ComposeRun } from '../../../src/application/compose/compose-run.ts';
import { AfterContainerWork } from '../../../src/application/compose/container-aftermath.ts';
import { LookAtContainers } from '../../../src/application/compose/container-look.ts';
import { ContainerPatchRunner } from '../../../src/application/compose/container-patch-runner.ts';
import { ContainerUpdateCheckRunner } from '../../../src/application/compose/container-update-check-runner.ts';
import { StackCheckRunner } from '../../../src/application/compose/stack-check-runner.ts';
import { LookAtStack } from '../../../src/application/compose/stack-look.ts';
import { StackRunner } from '../../../src/application/compose/stack-runner.ts';
import { UpdateGuard } from '../../../src/application/compose/update-guard.ts';
import { DetachedWork } from '../../../src/application/jobs/detached-work.ts';
import type { JobContext, JobRunner, RunResult } from '../../../src/application/jobs/runner.ts';
import type { StoredDump } from '../../../src/application/ports/backups/dump-store.ts';
import type { PatchPolicy } from '../../../src/domain/automation/patch-policy.ts';
import type { BackupSource } from '../../../src/domain/backups/backup-source.ts';
import { type Inventory, keepingVerdicts } from '../../../src/domain/fleet/inventory.ts';
import type { Job, JobParams } from '../../../src/domain/jobs/job.ts';
import type { JobType } from '../../../src/domain/jobs/job-types.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { readDefinition } from '../../fakes/fake-compose-host.ts';
import { FakeContainerEngine } from '../../fakes/fake-container-engine.ts';
import { FakeDetachedRuns } from '../../fakes/fake-detached-runs.ts';
import { FakeHost } from '../../fakes/fake-host.ts';
import { containerOf, inventoryOf } from '../../support/inventories.ts';

const RUN = 'one-7';
const SHOP = '/srv/stacks/shop';

/** A host with docker, its registry, and the runners of jobs on containers. */
export class ContainerScene {
  readonly clock = new FakeClock();
  readonly engine = new FakeContainerEngine();
  readonly runs = new FakeDetachedRuns();
  readonly ending = new AbortController();
  readonly lines: string[] = [];
  readonly shop = SHOP;
  readonly app = 'registry.test/app:1';
  saved: Inventory | null = null;
  policy: PatchPolicy | null = null;
  /** Whether a schedule starts the jobs. */
  scheduled = false;
  planJob: Job | null = null;
  marker: string | null = null;
  composeDirs: readonly string[] = [];
  sources: readonly BackupSource[] = [];
  dumps: readonly StoredDump[] = [];
  /** Sources that a job has backed up. */
  readonly backedUp: string[] = [];

  /** The project `shop`, its services all of that image. */
  up(services: readonly string[] = ['web', 'db']): void {
    this.engine.containers.publish(this.app, 'v1');
    this.write(Object.fromEntries(services.map((name) => [name, { image: this.app }])));
    const place = { project: null, directory: SHOP, configFiles: [] };
    const definition = readDefinition(this.engine.files, place);
    for (const each of definition.services) this.engine.containers.up(SHOP, definition.project, each);
  }

  write(services: object): void {
    this.engine.files.set(`${SHOP}/compose.yaml`, JSON.stringify({ services }));
  }

  running(): string[] {
    return this.engine.containers.of(SHOP, []).map((each) => `${each.service} ${each.imageId}`);
  }

  async plan(jobType: JobType, params: Partial<JobParams> = {}): Promise<RunResult> {
    return this.#runner(jobType).plan(this.#context(jobType, { ...params, dryRun: true }));
  }

  /** The arguments of the work that the host was given. */
  orderArgs(): readonly string[] {
    return this.runs.commandOf(RUN).args;
  }

  /** Does the job, and the work on the host as soon as it is asked for. */
  async apply(jobType: JobType, params: Partial<JobParams> = {}): Promise<RunResult> {
    const over = { is: false };
    const done = this.#runner(jobType).apply(this.#context(jobType, params));
    const settled = done.finally(() => {
      over.is = true;
    });
    settled.catch(() => undefined);
    while (!over.is && this.runs.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
    if (!over.is) {
      const { exitCode, result } = this.engine.perform(this.runs.commandOf(RUN));
      this.runs.ends(RUN, exitCode, result);
    }
    return settled;
  }

  /** Ends the work that a previous worker started, and lets another one take the job over. */
  async takeUp(jobType: JobType, ended: { exitCode: number; result: string }): Promise<RunResult> {
    this.marker = '{"offset":0}';
    await this.runs.start(new FakeHost('web').session(), { id: RUN, script: 'compose' });
    this.runs.ends(RUN, ended.exitCode, ended.result);
    return this.#runner(jobType).apply(this.#context(jobType, {}));
  }

  /** The plan of a dry run as a stored job, to be named by `planId`. */
  keep(jobType: JobType, done: RunResult, params: Partial<JobParams> = {}): number {
    this.planJob = { ...this.#job(jobType, { ...params, dryRun: true }), id: 6, result: done.result };
    return 6;
  }

  #runner(jobType: JobType): JobRunner {
    const { engine, clock } = this;
    const inventory = {
      former: async () => this.saved,
      gather: async () => this.#gathered(),
      samples: async () => [],
      save: async (_id: number, found: Inventory) => {
        this.saved = keepingVerdicts(found, this.saved);
        return this.saved;
      },
    } as never;
    const look = new LookAtContainers({ engine });
    const stack = new LookAtStack({ containerLook: look, engine });
    const run = new ComposeRun({ engine, detachedWork: new DetachedWork({ runs: this.runs, clock }) });
    const after = new AfterContainerWork({ refreshInventory: inventory });
    const shared = {
      composeRun: run,
      afterContainerWork: after,
      jobs: { find: async () => this.planJob } as never,
      digest: new NodeDigest(),
      clock,
    };
    switch (jobType) {
      case 'container_update_check':
        return new ContainerUpdateCheckRunner({
          engine,
          containerLook: look,
          refreshInventory: inventory,
          clock,
        });
      case 'container_patch':
        return new ContainerPatchRunner({
          engine,
          containerLook: look,
          patchPolicies: { of: () => Promise.resolve(this.policy) },
          orderedBatches: { startOfRun: () => Promise.resolve(null) },
          refreshInventory: inventory,
          ...this.#guard(),
          ...shared,
        });
      case 'docker_stack_check':
        return new StackCheckRunner({ stackLook: stack });
      default:
        return new StackRunner({ stackLook: stack, ...shared });
    }
  }

  #guard() {
    const updateGuard = new UpdateGuard({
      engine: this.engine,
      sources: { ofServer: async () => this.sources } as never,
      dumps: { ofServer: async () => this.dumps },
      snapshots: { ofSource: async () => [] },
      places: { survey: async () => ({ inside: null, below: [], leftOut: [] }) },
    });
    const takeSnapshots = {
      hooksOf: () => ({ resume: async () => undefined }) as never,
      execute: async (_context: JobContext, sources: readonly BackupSource[]) => {
        this.backedUp.push(...sources.map(({ name }) => name));
        return [];
      },
    };
    return { updateGuard, takeSnapshots };
  }

  #gathered(): Inventory {
    const containers = this.engine.containers.of(SHOP, []).map((each) =>
      containerOf({
        id: each.imageId,
        name: `${each.project}-${each.service}-1`,
        image: each.image,
        project: each.project,
        service: each.service,
        path: each.directory,
      }),
    );
    return inventoryOf({ containers });
  }

  #job(jobType: JobType, params: Partial<JobParams>): Job {
    const all = { sourceFilter: null, service: null, osSteps: null, dryRun: false, ...params };
    return { id: 7, serverId: 1, jobType, params: all, scheduled: this.scheduled } as Job;
  }

  #context(jobType: JobType, params: Partial<JobParams>): JobContext {
    return {
      job: this.#job(jobType, params),
      server: {
        id: 1,
        features: { backup: true },
        composeDirs: this.composeDirs,
        facts: { lastContainerCheckAt: 1 },
      },
      signal: this.ending.signal,
      openHost: async () => new FakeHost('web').session(),
      log: (line: string) => void this.lines.push(line),
      progress: () => undefined,
      detached: {
        runId: RUN,
        marker: this.marker,
        mark: async () => undefined,
        log: (line: string) => void this.lines.push(line),
        flush: async () => undefined,
        carryOn: () => undefined,
      },
    } as never;
  }
}
