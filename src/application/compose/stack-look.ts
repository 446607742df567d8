import { count } from '../../domain/base/count.ts';
import { DomainError } from '../../domain/base/errors.ts';
import type { ComposeDefinition, ComposeProject, DefinedService } from '../../domain/compose/compose.ts';
import { type ImageVerdict, imageVerdict, isAsked } from '../../domain/compose/image-update.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ContainerSurvey } from '../ports/compose/container-engine.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import { type LookAtContainers, projectIn } from './container-look.ts';

export interface StackLook {
  readonly host: RemoteHost;
  readonly survey: ContainerSurvey;
  readonly project: ComposeProject;
}

/** Finds a stack job's project, and reads its files. */
export class LookAtStack extends UseCase<'engine', { readonly containerLook: LookAtContainers }> {
  /** Throws `project_not_found`, and `host_unsupported` for a project that nothing can be done with. */
  async find(context: JobContext): Promise<StackLook> {
    const { host, survey } = await this.deps.containerLook.survey(context);
    const project = projectIn(survey, context.job.params.sourceFilter ?? '');
    if (project.problem !== null) throw new DomainError('host_unsupported', project.problem);
    return { host, survey, project };
  }

  /** Throws `compose_invalid`, and `invalid_input` if the job names an unknown service. */
  async definition(context: JobContext, { host, survey, project }: StackLook): Promise<ComposeDefinition> {
    context.progress('Reading the files of the project', null);
    const { signal } = context;
    const definition = await this.deps.engine.definition(host, project, { engine: survey.engine, signal });
    refuseUnknown(
      context.job.params.service,
      definition.services.map(({ name }) => name),
    );
    return definition;
  }

  /** The registries' current images of these services. */
  async verdicts(
    context: JobContext,
    { host, survey, project }: StackLook,
    services: readonly DefinedService[],
  ): Promise<(service: DefinedService) => ImageVerdict> {
    const references = services.flatMap(({ image, builds }) => (image !== null && !builds ? [image] : []));
    const asked = [...new Set(references.filter(isAsked))];
    context.progress(`Asking registries about ${count(asked.length, 'image')}`, null);
    const { signal } = context;
    const words = await this.deps.engine.registryDigests(host, asked, { engine: survey.engine, signal });
    return ({ name, image }) => {
      const there = project.services.find((each) => each.name === name);
      const digests = survey.images.get(there?.imageId ?? '')?.repoDigests ?? [];
      const word = words.get(image ?? '');
      const verdict = imageVerdict(image ?? '', digests, word);
      // Images that are not on the host yet are pulled by the registry's current digest.
      return verdict.to === null && word?.digest ? { ...verdict, to: word.digest } : verdict;
    };
  }
}

export function refuseUnknown(service: string | null, known: readonly string[]): void {
  if (service === null || known.includes(service)) return;
  throw new DomainError(
    'invalid_input',
    `The project has no service named "${service}"; it has ${known.slice(0, 20).join(', ') || 'none'}.`,
  );
}
