import { serverNotFound } from '../../../domain/access/actor.ts';
import { idOf } from './form-state.ts';

/** The server's id in a path; throws `server_not_found` for an invalid one. */
export function serverId(params: Readonly<Record<string, string>>): number {
  const id = idOf(params['id']);
  if (id === null) throw serverNotFound(Number.NaN);
  return id;
}
