import { InvalidInput } from '../../domain/base/errors.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';

/** Throws `invalid_input` if a token would be limited to servers that do not exist. */
export async function refuseUnknownServers(
  servers: Pick<ServerStore, 'list'>,
  ids: readonly number[] | null,
): Promise<void> {
  if (ids === null) return;
  const { total } = await servers.list({ ids }, { limit: 1, offset: 0 });
  if (total === ids.length) return;
  throw new InvalidInput([
    { path: '/allowed_server_ids', message: 'At least one of these servers does not exist.' },
  ]);
}
