import { CheckSource } from '../../../../application/backups/check-source.ts';
import { ManageSources } from '../../../../application/backups/manage-sources.ts';
import type { SourceCheck } from '../../../../application/backups/source-checks.ts';
import { isDomainError } from '../../../../domain/base/errors.ts';
import type { Server } from '../../../../domain/fleet/server.ts';
import { UsageError } from '../errors.ts';
import { findServer } from '../find-server.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

/** Looks on the host whether the next backup could stop what it stops, and dump what it dumps. */
export async function checkSource(
  session: Session,
  reference: string,
  named: string | undefined,
): Promise<Reply> {
  const server = await findServer(session, reference);
  const name = await onlySource(session, server, named);
  const checks = await session.useCases
    .get(CheckSource)
    .execute(session.actor, server.id, name, session.signal);
  const ok = checks.every(({ problem }) => problem === null);
  return {
    json: {
      ok,
      server_id: server.id,
      source: name,
      checks: checks.map(({ kind, name: what, detail, problem }) => ({
        kind,
        name: what,
        ok: problem === null,
        detail,
        code: problem?.code ?? null,
      })),
    },
    text:
      checks.length === 0
        ? `${name} on ${server.name} has no dumps, and stops nothing.\n`
        : checkTable(checks),
    ...(ok ? {} : { exitCode: 1 }),
  };
}

const checkTable = (checks: readonly SourceCheck[]): string =>
  table(
    ['CHECK', 'RESULT', 'DETAIL'],
    checks.map(({ kind, name, detail, problem }) => [
      `${kind === 'hook' ? 'stop' : 'dump'} ${name}`,
      problem === null ? 'ok' : 'fails',
      detail,
    ]),
    { last: 'whole' },
  );

/** What a saved hook or dump needs and the host lacks, for people; empty if all is there. Saving does not wait for an unreachable host. */
export async function savedText(session: Session, server: Server, name: string): Promise<string> {
  if (session.json) return '';
  try {
    const checks = await session.useCases
      .get(CheckSource)
      .execute(session.actor, server.id, name, session.signal);
    const faults = checks.filter(({ problem }) => problem !== null);
    return faults.length === 0 ? '' : `\nSaved, but the next backup would fail:\n${checkTable(faults)}`;
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return `\nSaved, but not tested: ${error.message}\n`;
  }
}

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
