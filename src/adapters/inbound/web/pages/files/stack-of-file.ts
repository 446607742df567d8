import type { ListStartableJobs } from '../../../../../application/jobs/startable-jobs.ts';
import { isWithin } from '../../../../../domain/base/path-within.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { SignedInVisit, Toast } from '../../route.ts';
import { jobPath } from '../fleet/container-actions.tsx';

export interface StackFileDeps {
  readonly listStartableJobs: Pick<ListStartableJobs, 'execute'>;
}

/** In the order in which Compose looks for them. */
export const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

const DEPLOY = 'docker_stack_deploy';

/** What a saved Compose file can be applied with, whose form shows the dry run first; nothing for other files. */
export async function offerOf(
  { listStartableJobs }: StackFileDeps,
  { visitor: { actor } }: SignedInVisit,
  { id, jail, composeDirs, features }: Server,
  { directory, name }: { readonly directory: string; readonly name: string },
): Promise<Pick<Toast, 'link'>> {
  if (!(COMPOSE_FILES.includes(name) && jail !== null && features.docker)) return {};
  if (!actor.may('jobs', id)) return {};
  const stack = [jail.replace(/\/$/, ''), directory].filter(Boolean).join('/');
  const { server, types, projects } = await listStartableJobs.execute(actor, id);
  if (types.find(({ type }) => type === DEPLOY)?.reason !== null) return {};
  const isKnown = projects.some((each) => each.directory === stack);
  if (!(isKnown || composeDirs.some((each) => isWithin(stack, each)))) return {};
  const label = isKnown ? 'Update the stack' : 'Deploy this stack';
  return { link: { href: jobPath(server, DEPLOY, stack, null), label } };
}
