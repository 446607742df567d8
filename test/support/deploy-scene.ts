import { EemeliYamlText } from '../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { ComposeRun } from '../../src/application/compose/compose-run.ts';
import { PrepareDeployment } from '../../src/application/compose/prepare-deployment.ts';
import { TemplateDeployRunner } from '../../src/application/compose/template-deploy-runner.ts';
import { TemplateRenderer } from '../../src/application/compose/template-renderer.ts';
import { DetachedWork } from '../../src/application/jobs/detached-work.ts';
import type { JobContext, RunResult } from '../../src/application/jobs/runner.ts';
import { JobRunners } from '../../src/application/jobs/runner.ts';
import { type JobRequest, TriggerJob } from '../../src/application/jobs/trigger-job.ts';
import type { ProtectedPlaces } from '../../src/application/ports/backups/protected-places.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type { DetachedCommand } from '../../src/application/ports/jobs/detached-runs.ts';
import { describeTemplate } from '../../src/domain/compose/template.ts';
import type { RawVariable } from '../../src/domain/compose/template-variable.ts';
import type { Job } from '../../src/domain/jobs/job.ts';
import { FakeContainerEngine } from '../fakes/fake-container-engine.ts';
import { FakeDetachedRuns } from '../fakes/fake-detached-runs.ts';
import { FakeHost } from '../fakes/fake-host.ts';
import { PlainSecretBox } from '../fakes/plain-secret-box.ts';
import { applicationScene, tokenActor } from './application-scene.ts';
import { NO_PLACES } from './service-places.ts';
import { noRecord } from './stores-subject.ts';
import { templateOrders } from './templates.ts';

export const DIRECTORY = '/srv/stacks/demo';
export const PASSWORD = 'correct "horse" $taple';

export const VARIABLES: readonly RawVariable[] = [
  { name: 'tag', type: 'string', default: '1' },
  { name: 'port', type: 'port' },
  { name: 'password', type: 'secret' },
];

/** The fake engine reads JSON, which is YAML too. */
export const compose = (services: readonly string[] = ['app']): string =>
  JSON.stringify(
    {
      services: Object.fromEntries(
        services.map((name) => [
          name,
          { image: 'app:@{tag}', environment: { PASSWORD: '@{password}', PORT: '@{port}' } },
        ]),
      ),
    },
    null,
    2,
  );

/** Runs started work immediately, as the host would. */
class EngineRuns extends FakeDetachedRuns {
  readonly #engine: FakeContainerEngine;
  /** Leaves the work running. */
  hangs = false;

  constructor(engine: FakeContainerEngine) {
    super();
    this.#engine = engine;
  }

  override async start(host: RemoteHost, command: DetachedCommand): Promise<void> {
    const before = this.started.length;
    await super.start(host, command);
    if (this.started.length > before) {
      const { exitCode, result } = this.#engine.perform({ script: command.script, args: command.args ?? [] });
      if (!this.hangs) this.ends(command.id, exitCode, result);
    }
  }
}

/** Jobs of templates from the request to their end, on stores in memory and the fake engine. */
export async function deployScene({ places = NO_PLACES }: { readonly places?: ProtectedPlaces } = {}) {
  const scene = applicationScene();
  const engine = new FakeContainerEngine();
  const runs = new EngineRuns(engine);
  const box = new PlainSecretBox();
  const orders = templateOrders({ ...scene, box });
  const work = new DetachedWork({ runs, clock: scene.clock });
  const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });
  const prepare = new PrepareDeployment({ ...scene, renderer, engine, places });
  const run = new ComposeRun({ engine, detachedWork: work });
  // The inventory is another matter.
  const after = { execute: () => Promise.resolve({}) } as never;
  const runner = new TemplateDeployRunner({
    ...scene,
    orders,
    prepareDeployment: prepare,
    engine,
    composeRun: run,
    afterContainerWork: after,
    box,
  });
  const trigger = new TriggerJob({ ...scene, orders, runners: new JobRunners([runner]) });
  const server = await scene.addServer('web', { docker: true }, 'ssh');
  const withDirs = { ...server, composeDirs: ['/srv/stacks'] };
  scene.kept.change('servers', server.id, { compose_dirs: JSON.stringify(withDirs.composeDirs) });
  engine.containers.publish('app:1', 'one');
  engine.containers.publish('app:2', 'two');
  const lines: string[] = [];
  const marks: string[] = [];

  const contextOf = (job: Job, marker: string | null, signal: AbortSignal): JobContext => ({
    job,
    server: withDirs,
    signal,
    openHost: () => Promise.resolve(new FakeHost('web').session()),
    log: (line) => void lines.push(line),
    progress: () => undefined,
    detached: {
      runId: `here-${job.id}`,
      marker,
      mark: (mark) => Promise.resolve(void marks.push(mark)),
      log: (line, mark) => {
        lines.push(line);
        marks.push(mark);
      },
      flush: () => Promise.resolve(),
      carryOn: () => undefined,
    },
  });

  return {
    ...scene,
    engine,
    runs,
    box,
    orders,
    runner,
    trigger,
    lines,
    /** How far the work was followed, as the queue keeps it for the next worker. */
    marks,
    importTemplate: (
      files: Readonly<Record<string, string>> = {},
      variables: readonly RawVariable[] = VARIABLES,
    ) =>
      scene.templates.save(
        describeTemplate(
          { name: 'demo', variables },
          Object.entries({ 'compose.yaml': compose(), ...files }).map(([path, content]) => ({
            path,
            content,
          })),
        ),
        { createdBy: 'me', at: scene.clock.now() },
        noRecord,
      ),
    ask: (over: Partial<JobRequest> = {}, actor = tokenActor()): Promise<Job> =>
      trigger.execute(actor, {
        serverId: server.id,
        jobType: 'template_deploy',
        sourceFilter: DIRECTORY,
        ...over,
      }),
    /** Runs a job to its end, and keeps that as the queue would. */
    async run(
      job: Job,
      marker: string | null = null,
      signal = new AbortController().signal,
    ): Promise<RunResult> {
      const context = contextOf(job, marker, signal);
      const end = (status: Job['status'], result: Job['result']): void => {
        scene.kept.change('jobs', job.id, {
          status,
          lane_key: null,
          result: result && JSON.stringify(result),
        });
      };
      try {
        const done = await (job.params.dryRun ? runner.plan(context) : runner.apply(context));
        end(done.failure ? 'failed' : 'success', done.result);
        return done;
      } catch (error) {
        end('failed', null);
        throw error;
      }
    },
  };
}

export type DeployScene = Awaited<ReturnType<typeof deployScene>>;
