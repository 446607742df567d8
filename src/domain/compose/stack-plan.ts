import type { ComposeDefinition, ComposeProject, DefinedService, RunningService } from './compose.ts';
import { type ContainerChange, sortContainerChanges } from './container-change.ts';
import { meanTheSame } from './image-reference.ts';
import type { ImageVerdict } from './image-update.ts';

export type StackAction = 'deploy' | 'stop' | 'start' | 'restart';

const EMPTY = { image: null, from: null, to: null } as const;

/**
 * What a deploy would do: create what is missing or differs, update images, remove what the files no longer define.
 */
export function deployChanges(
  project: ComposeProject,
  definition: ComposeDefinition,
  verdictOf: (service: DefinedService) => ImageVerdict,
  only: string | null,
): ContainerChange[] {
  const { directory } = project;
  const wanted = definition.services.filter(({ name }) => only === null || name === only);
  const changes = wanted.flatMap((defined): ContainerChange[] => {
    const there = project.services.find(({ name }) => name === defined.name);
    const { update, from, to } = verdictOf(defined);
    const base = { directory, service: defined.name, image: defined.image };
    if (!there) return [{ ...base, kind: 'create', from: null, to }];
    if (differs(defined, there)) return [{ ...base, kind: 'recreate', from, to }];
    if (update === true) return [{ ...base, kind: 'image', from, to }];
    return there.running < there.containers ? [{ ...base, ...EMPTY, kind: 'start' }] : [];
  });
  const gone = only === null ? orphansOf(project, definition) : [];
  const removals = gone.map((service) => ({ ...EMPTY, kind: 'remove' as const, directory, service }));
  return sortContainerChanges([...changes, ...removals]);
}

/** Whether a service's containers were made from something else than the files say now. */
export const differs = (defined: DefinedService, there: RunningService): boolean =>
  (defined.image !== null && !meanTheSame(defined.image, there.image)) ||
  (defined.configHash !== null && defined.configHash !== there.configHash);

/** Services that have containers, and that the files do not have. */
export const orphansOf = (project: ComposeProject, definition: ComposeDefinition): string[] =>
  project.services
    .map(({ name }) => name)
    .filter((name) => !definition.services.some((defined) => defined.name === name));

/**
 * What the other actions would do. Only running containers are stopped or restarted, and only stopped ones are
 * started.
 */
export function actionChanges(
  { directory, services }: ComposeProject,
  kind: Exclude<StackAction, 'deploy'>,
  only: string | null,
): ContainerChange[] {
  const concerned = services.filter(
    ({ name, running, containers }) =>
      (only === null || name === only) && (kind === 'start' ? running < containers : running > 0),
  );
  return sortContainerChanges(concerned.map(({ name }) => ({ ...EMPTY, kind, directory, service: name })));
}
