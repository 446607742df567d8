import type { CheckSource } from '../../../../../application/backups/check-source.ts';
import type { SourceCheck } from '../../../../../application/backups/source-checks.ts';
import { type DomainError, isDomainError } from '../../../../../domain/base/errors.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Status } from '../../components/status.tsx';
import { LocalTimes } from '../../components/time.tsx';
import type { SignedInVisit } from '../../route.ts';

export interface SourceCheckDeps {
  readonly checkSource: Pick<CheckSource, 'execute'>;
}

/** What a test of a source found, or why it could not be done. */
export type Tested = readonly SourceCheck[] | DomainError;

/** An unreachable server is an answer too. */
export async function testSource(
  { checkSource }: SourceCheckDeps,
  { visitor, gone }: SignedInVisit,
  { id }: Pick<Server, 'id'>,
  source: string,
): Promise<Tested> {
  return checkSource.execute(visitor.actor, id, source, gone).catch((error: unknown) => {
    if (isDomainError(error)) return error;
    throw error;
  });
}

export const isFaulty = (tested: Tested): boolean =>
  isDomainError(tested) || tested.some(({ problem }) => problem !== null);

/** What a source's dumps and hooks found on the server. */
export function SourceTest({ tested, isSaved }: { readonly tested: Tested; readonly isSaved: boolean }) {
  const saved = isSaved ? 'Saved. ' : '';
  return (
    <section id="test" aria-labelledby="test-title">
      <h2 id="test-title">Test</h2>
      {isDomainError(tested) ? (
        <p class="notice bad" role="status">
          {saved}Drover could not test the server: <LocalTimes text={tested.message} />
        </p>
      ) : (
        <>
          <p class={isFaulty(tested) ? 'notice bad' : 'notice good'} role="status">
            {saved}
            {isFaulty(tested)
              ? 'The next backup of this source would fail.'
              : 'Everything works. Nothing was changed.'}
          </p>
          {tested.length === 0 ? (
            <p>This source has no dumps and stops no services.</p>
          ) : (
            <Checks checks={tested} />
          )}
        </>
      )}
    </section>
  );
}

const Checks = ({ checks }: { readonly checks: readonly SourceCheck[] }) => (
  <DataTable
    rows={checks}
    keyOf={({ kind, name }) => `${kind} ${name}`}
    columns={[
      { head: 'Check', cell: ({ kind, name }) => `${kind === 'hook' ? 'Stops' : 'Dumps'} ${name}` },
      {
        head: 'Result',
        kind: 'state',
        cell: ({ problem }) => (
          <Status tone={problem === null ? 'good' : 'bad'}>{problem === null ? 'ok' : 'fails'}</Status>
        ),
      },
      { head: 'Detail', kind: 'text', cell: ({ detail }) => detail },
    ]}
  />
);

/** In a separate form: it tests the saved settings. */
export const TestButton = ({ action, about }: { readonly action: string; readonly about: string }) => (
  <form method="post" action={action}>
    <button type="submit" class="quiet small" aria-label={`Test ${about}`}>
      Test
    </button>
  </form>
);
