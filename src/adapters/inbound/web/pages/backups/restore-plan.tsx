import type { CompareWithServer } from '../../../../../application/backups/compare-with-server.ts';
import type { Amount } from '../../../../../domain/backups/exclusion-preview.ts';
import type { RestorePlan } from '../../../../../domain/backups/restore-plan.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { withPlace } from '../../components/crumbs.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';

export interface PlanDeps {
  readonly compareWithServer: Pick<CompareWithServer, 'plan' | 'entries' | 'look'>;
}

interface PlanProps {
  readonly plan: RestorePlan;
  /** The snapshot's page. */
  readonly own: string;
  readonly now: Instant;
  /** `null`: the original location. */
  readonly directory: string | null;
}

/** What a restore would write, before it starts. */
export function PlanOfRestore({ plan, own, now, directory }: PlanProps) {
  const { created, replaced, same, changes, isComplete } = plan;
  const isNothing = created.files + replaced.files === 0;
  return (
    <>
      <ul class="plan-amounts">
        <li>
          <Status tone={replaced.files === 0 ? 'off' : 'care'}>replaced</Status>{' '}
          <Words name="replaced" amount={replaced} />
        </li>
        <li>
          <Status tone={created.files === 0 ? 'off' : 'good'}>created</Status>{' '}
          <Words name="created" amount={created} />
        </li>
        <li>
          <Status tone="off">unchanged</Status> <Words name="same" amount={same} />
        </li>
      </ul>
      {isComplete ? null : (
        <p class="notice">
          Only a part was compared: there are too many files. The restore writes all of them.
        </p>
      )}
      {isNothing && isComplete ? (
        <p class="quiet">A restore would change nothing here: same sizes and times.</p>
      ) : null}
      {changes.length === 0 ? null : (
        <DataTable
          rows={changes}
          keyOf={({ path }) => path.text}
          columns={[
            {
              head: 'File',
              kind: 'code',
              cell: ({ path: { text, escaped } }) =>
                escaped || directory !== null ? (
                  text
                ) : (
                  <a href={withPlace(`${own}/now`, text.slice(1))}>{text}</a>
                ),
            },
            {
              head: 'Change',
              kind: 'state',
              cell: ({ live }) => (
                <Status tone={live === null ? 'good' : 'care'}>
                  {live === null ? 'created' : 'replaced'}
                </Status>
              ),
            },
            { head: 'Size now', kind: 'number', cell: ({ live }) => sizeOf(live) },
            { head: 'Size restored', kind: 'number', cell: ({ kept }) => sizeOf(kept) },
            {
              head: 'Changed on server',
              kind: 'time',
              phone: 'hide',
              cell: ({ live }) => (live === null ? '' : <Ago at={live.modifiedAt} now={now} />),
            },
          ]}
        />
      )}
      {created.files + replaced.files > changes.length ? (
        <p class="quiet">The first {changes.length} of them are listed.</p>
      ) : null}
    </>
  );
}

const Words = ({ name, amount: { files, bytes } }: { readonly name: string; readonly amount: Amount }) => (
  <span data-amount={name}>{`${count(files, 'file')}${files === 0 ? '' : `, ${size(bytes)}`}`}</span>
);

const sizeOf = (facts: { readonly kind: string; readonly size: number } | null): string =>
  facts?.kind === 'file' ? size(facts.size) : '';
