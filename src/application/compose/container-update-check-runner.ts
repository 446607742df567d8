import { count } from '../../domain/base/count.ts';
import { MINUTE } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefreshInventory } from '../fleet/refresh-inventory.ts';
import type { JobContext, JobRunner, RunResult } from '../jobs/runner.ts';
import { containerFacts, withUpdates } from './container-aftermath.ts';
import type { ContainerLook, LookAtContainers, ServiceLook } from './container-look.ts';
import { imageAges, latestOf } from './image-ages.ts';

/** A result stays readable: of longer lists it names this many and counts the rest. */
const MAX_NAMED = 500;

/** Reports which containers could have newer images, according to registries. */
export class ContainerUpdateCheckRunner
  extends UseCase<
    'clock' | 'engine.imageFacts',
    { readonly containerLook: LookAtContainers; readonly refreshInventory: RefreshInventory }
  >
  implements JobRunner
{
  readonly types = ['container_update_check'] as const;
  readonly timeLimitMs = 60 * MINUTE;
  /** References to query. */
  async plan(context: JobContext): Promise<RunResult> {
    const { survey } = await this.deps.containerLook.survey(context);
    const images = [...new Set(survey.containers.map(({ image }) => image))].filter((each) => each !== '');
    return {
      summary: `Dry run: ${count(images.length, 'image')} of ${count(survey.containers.length, 'container')} in ${count(survey.projects.length, 'Compose project')}. No registry was queried.`,
      result: { dry_run: true, images_count: images.length, images: images.toSorted().slice(0, MAX_NAMED) },
    };
  }

  async apply(context: JobContext): Promise<RunResult> {
    const look = await this.deps.containerLook.execute(context, context.job.params.sourceFilter);
    const { refreshInventory } = this.deps;
    const former = await refreshInventory.former(context.server.id);
    const { ages } = await imageAges(this.deps, context, look, former);
    context.progress('Reading the host', null);
    const inventory = await refreshInventory.gather(context.server.id, look.host, context.signal, { former });
    const learnt = new Map(
      look.containers.map(({ container, verdict }) => [
        container.name,
        { update: verdict.update, latest: latestOf(verdict, ages) },
      ]),
    );
    const saved = await refreshInventory.save(context.server, withUpdates(inventory, learnt));
    for (const line of linesOf(look)) context.log(line);
    const { result, summary } = reportOf(look);
    return {
      summary,
      result,
      facts: { ...containerFacts(saved.containers), lastContainerCheckAt: this.deps.clock.now() },
    };
  }
}

function linesOf({ services }: ContainerLook): string[] {
  return services.flatMap(({ project, service, verdict }) => {
    const name = `${project.directory} ${service.name} (${service.image})`;
    if (verdict.update === true) return [`${name}: update available, ${verdict.from} -> ${verdict.to}`];
    return verdict.update === null ? [`${name}: unknown. ${verdict.reason ?? ''}`] : [];
  });
}

function reportOf({ survey, services, containers }: ContainerLook): Pick<RunResult, 'summary' | 'result'> {
  const withUpdate = services.filter(({ verdict }) => verdict.update === true);
  const projects = new Set(withUpdate.map(({ project }) => project.directory));
  const unknown = containers.filter(({ verdict }) => verdict.update === null).length;
  const others = containers.filter(
    ({ container, verdict }) => container.directory === null && verdict.update === true,
  ).length;
  const beside = others > 0 ? `, and ${count(others, 'container')} outside projects` : '';
  const open = unknown > 0 ? ` Unknown for ${count(unknown, 'container')}.` : '';
  return {
    summary: `Updates for ${count(withUpdate.length, 'service')} in ${count(projects.size, 'Compose project')}${beside}.${open}`,
    result: {
      dry_run: false,
      engine: survey.engine,
      projects_count: survey.projects.length,
      updates_count: projects.size,
      unknown_count: unknown,
      services_count: services.length,
      services: services.slice(0, MAX_NAMED).map(serviceResult),
      other_containers: containers
        .filter(({ container }) => container.directory === null)
        .slice(0, MAX_NAMED)
        .map(({ container: { name, image }, verdict }) => ({ name, image, ...verdict })),
      notes: survey.notes.slice(0, MAX_NAMED),
    },
  };
}

const serviceResult = ({ project, service, verdict }: ServiceLook): object => ({
  directory: project.directory,
  project: project.project,
  service: service.name,
  image: service.image,
  running: service.running,
  ...verdict,
});
