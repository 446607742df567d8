import type { Extent } from '../../../domain/access/actor.ts';
import type { WebRoute } from './route.ts';

/** Routes about one server each, which their use case finds: of a job, a snapshot, a request and the like. */
const ABOUT_SOME = ['jobs', 'snapshots', 'approvals', 'batches', 'schedules', 'notifications'];

/**
 * Where a user needs the role that a route asks for. That of an unnamed server is a first check: the use case knows which
 * one it is. Everything else is about all servers.
 */
export function extentOf({ path }: Pick<WebRoute, 'path'>, params: Readonly<Record<string, string>>): Extent {
  const [first = '', second] = path
    .replace(/^\/live/, '')
    .split('/')
    .slice(1);
  if (first === 'servers' && second === ':id') {
    const id = Number(params['id']);
    return Number.isSafeInteger(id) ? id : 'any server';
  }
  return ABOUT_SOME.includes(first) ? 'any server' : 'all servers';
}
