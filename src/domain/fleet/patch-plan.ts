import type { ComposeDefinition, ComposeProject, RunningService } from '../compose/compose.ts';
import type { ContainerChange } from '../compose/container-change.ts';
import { meanTheSame } from '../compose/image-reference.ts';
import type { ImageVerdict } from '../compose/image-update.ts';

/** Why a service that might have an update is left as it is. */
export interface LeftAlone {
  readonly directory: string;
  readonly service: string;
  /** One sentence. */
  readonly reason: string;
  /** If the patch policy holds it: when that ends, in ISO 8601; `null`: it is not known. */
  readonly until?: string | null;
}

/** Why a service cannot get its newer image; `null` if it can. */
export function objection(
  project: ComposeProject,
  service: RunningService,
  definition: ComposeDefinition | string,
): string | null {
  if (project.problem !== null) return project.problem;
  if (service.running === 0) return 'It is stopped, and will stay stopped.';
  if (service.imageId === null) return 'Its containers run different images; deploy the project first.';
  if (typeof definition === 'string') return definition;
  const defined = definition.services.find(({ name }) => name === service.name);
  if (!defined) return "The project's files no longer contain it. Deploy the project first.";
  if (defined.image === null || !meanTheSame(defined.image, service.image))
    return "The project's files name another image; deploy the project first.";
  if (defined.configHash !== null && defined.configHash !== service.configHash) {
    return "The project's files, or compose itself, changed since its containers were created; deploy the project first.";
  }
  return null;
}

export const imageChangeOf = (
  { directory }: ComposeProject,
  { name, image }: RunningService,
  { from, to }: ImageVerdict,
): ContainerChange => ({ kind: 'image', directory, service: name, image, from, to });
