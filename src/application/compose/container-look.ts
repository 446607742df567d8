import { count } from '../../domain/base/count.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { withoutEnd } from '../../domain/base/without-end.ts';
import type { ComposeProject, RunningService } from '../../domain/compose/compose.ts';
import { type ImageVerdict, imageVerdict, isAsked } from '../../domain/compose/image-update.ts';
import type { JobContext } from '../jobs/runner.ts';
import type { ContainerEngine, ContainerSurvey, HostContainer } from '../ports/compose/container-engine.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

/** Known facts of a service's image. */
export interface ServiceLook {
  readonly project: ComposeProject;
  readonly service: RunningService;
  readonly verdict: ImageVerdict;
}

export interface ContainerLook {
  readonly host: RemoteHost;
  readonly survey: ContainerSurvey;
  readonly services: readonly ServiceLook[];
  readonly containers: readonly { readonly container: HostContainer; readonly verdict: ImageVerdict }[];
}

/** How many directories a refusal names. */
const MAX_NAMED = 10;

/** Looks at a host's containers, and asks the registries about their images. */
export class LookAtContainers {
  readonly #engine: ContainerEngine;

  constructor({ engine }: { engine: ContainerEngine }) {
    this.#engine = engine;
  }

  /** The current state, without a query to any registry. */
  async survey(context: JobContext): Promise<{ host: RemoteHost; survey: ContainerSurvey }> {
    context.progress("Checking the host's containers", null);
    const host = await context.openHost();
    const { signal, server } = context;
    const survey = await this.#engine.survey(host, { directories: server.composeDirs, signal });
    for (const note of survey.notes) context.log(`Note: ${note}`);
    return { host, survey };
  }

  /** Each image is asked about once. `directory` limits it to one project; throws `project_not_found`. */
  async execute(context: JobContext, directory: string | null): Promise<ContainerLook> {
    const { host, survey } = await this.survey(context);
    const project = directory === null ? null : projectIn(survey, directory);
    const containers = survey.containers.filter(
      (each) => project === null || each.directory === project.directory,
    );
    const asked = [...new Set(containers.map(({ image }) => image).filter(isAsked))];
    context.progress(`Asking registries about ${count(asked.length, 'image')}`, null);
    const { signal } = context;
    const words = await this.#engine.registryDigests(host, asked, { engine: survey.engine, signal });
    const verdict = (image: string, imageId: string | null): ImageVerdict =>
      imageVerdict(image, survey.images.get(imageId ?? '')?.repoDigests ?? [], words.get(image));
    return {
      host,
      survey,
      containers: containers.map((container) => ({
        container,
        verdict: verdict(container.image, container.imageId),
      })),
      services: survey.projects
        .filter((each) => project === null || each.directory === project.directory)
        .flatMap((each) =>
          each.services.map((service) => ({
            project: each,
            service,
            verdict: verdict(service.image, service.imageId),
          })),
        ),
    };
  }
}

/** The project in that directory, as the host reports it. Throws `project_not_found`. */
export function projectIn(survey: ContainerSurvey, directory: string): ComposeProject {
  const wanted = directory.length > 1 ? withoutEnd(directory, '/') : directory;
  const found = survey.projects.find((each) => each.directory === wanted);
  if (found) return found;
  const known = survey.projects.map((each) => each.directory);
  const named = known.slice(0, MAX_NAMED).join(', ');
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : '';
  throw new DomainError(
    'project_not_found',
    known.length === 0
      ? 'The server has no Compose project. To find projects without containers, set their directory with: drover server edit ID --compose-dir DIR.'
      : `The server has no Compose project in that directory; it has ${named}${more}.`,
  );
}
