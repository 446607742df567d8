import { ManageSources } from '../../../application/backups/manage-sources.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/** The source that was named, or the only one of the server. */
export async function onlySource(
  { useCases, actor }: Session,
  server: Server,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return named;
  const names = (await useCases.get(ManageSources).list(actor, server.id)).map(({ name }) => name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(
    only === undefined
      ? `${server.name} has no backup source.`
      : `${server.name} has several backup sources; name one of ${names.join(', ')}.`,
  );
}
