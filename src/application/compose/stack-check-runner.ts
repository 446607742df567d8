import { count } from '../../domain/base/count.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import type { ComposeDefinition, ComposeProject } from '../../domain/compose/compose.ts';
import { differs, orphansOf } from '../../domain/compose/stack-plan.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import type { LookAtStack } from './stack-look.ts';

/** Checks whether a Compose project's files are valid, and whether its containers match them. Changes nothing. */
export class StackCheckRunner implements JobRunner {
  readonly types = ['docker_stack_check'] as const;
  readonly timeLimitMs = 15 * MINUTE;
  readonly #look: LookAtStack;

  constructor({ stackLook }: { stackLook: LookAtStack }) {
    this.#look = stackLook;
  }

  plan(context: JobContext): Promise<RunResult> {
    return this.#check(context, true);
  }

  apply(context: JobContext): Promise<RunResult> {
    return this.#check(context, false);
  }

  async #check(context: JobContext, dryRun: boolean): Promise<RunResult> {
    const found = await this.#look.find(context);
    const definition = await this.#look.definition(context, found);
    const { service } = context.job.params;
    const services = servicesOf(found.project, definition).filter(
      ({ name }) => service === null || name === service,
    );
    const orphans = service === null ? orphansOf(found.project, definition) : [];
    const countOf = (state: string): number => services.filter((each) => each.state === state).length;
    const drifted = services.filter(({ drift }) => drift).length + orphans.length;
    for (const each of services)
      context.log(`${each.name}: ${each.state}${each.drift ? ', differs from its files' : ''}`);
    return {
      summary: `The files are valid. Of ${count(services.length, 'service')} ${countOf('running')} run well, ${countOf('unhealthy')} are unhealthy, ${countOf('stopped')} are stopped, ${countOf('missing')} have no containers; ${drifted} differ from the files.`,
      result: {
        dry_run: dryRun,
        directory: found.project.directory,
        project: definition.project,
        engine: found.survey.engine,
        services,
        orphans,
        drifted: drifted > 0,
      },
    };
  }
}

interface CheckedService {
  readonly name: string;
  readonly image: string | null;
  readonly state: 'running' | 'starting' | 'unhealthy' | 'stopped' | 'missing';
  readonly containers: number;
  readonly running: number;
  /** Whether its containers were made from something else than the files say. */
  readonly drift: boolean;
}

const servicesOf = (project: ComposeProject, definition: ComposeDefinition): readonly CheckedService[] =>
  definition.services.map((defined) => {
    const there = project.services.find(({ name }) => name === defined.name);
    const { name, image } = defined;
    if (!there) return { name, image, state: 'missing', containers: 0, running: 0, drift: true };
    const { containers, running, health } = there;
    const well = health === 'unhealthy' || health === 'starting' ? health : 'running';
    const drift = differs(defined, there);
    return { name, image, state: running === 0 ? 'stopped' : well, containers, running, drift };
  });
