import type { ComponentChildren } from 'preact';
import { isDomainError } from '../../../../domain/base/errors.ts';
import { count } from '../../../../domain/base/spans.ts';
import { type Area, page, type WebReply } from '../route.ts';
import { DataTable } from './data-table.tsx';
import { Status } from './status.tsx';
import { LocalTimes } from './time.tsx';

export interface BulkOutcome {
  readonly key: number;
  /** The row's subject, linked. */
  readonly name: ComponentChildren;
  readonly server: ComponentChildren;
  /** Where to go on; null after a refusal. */
  readonly result: ComponentChildren;
  readonly refusal: string | null;
}

interface BulkResult {
  readonly area: Area;
  /** Such as `Cancelled`. */
  readonly verb: string;
  readonly noun: string;
  readonly back: { readonly href: string; readonly label: string };
  readonly outcomes: readonly BulkOutcome[];
}

/**
 * Why a row was refused. Throws what ends the action; also the question for the password, unless rows are done: the form is sent
 * again after it, which would repeat them.
 */
export function refusalOf(error: unknown, before: readonly BulkOutcome[]): string {
  if (!isDomainError(error)) throw error;
  if (error.code === 'confirmation_needed' && before.every(({ refusal }) => refusal !== null)) throw error;
  return error.message;
}

/** What an action did with each of the selected rows. */
export function bulkResultPage({ area, verb, noun, back, outcomes }: BulkResult): WebReply {
  const refused = outcomes.filter(({ refusal }) => refusal !== null).length;
  return page(
    area,
    `${verb} ${count(outcomes.length - refused, noun)}`,
    <>
      <p role="status">
        {refused === 0 ? 'None refused.' : `${count(refused, noun)} refused.`}{' '}
        <a href={back.href}>{back.label}</a>
      </p>
      <DataTable
        rows={outcomes}
        keyOf={({ key }) => key}
        empty={`No ${noun} was selected.`}
        columns={[
          { head: `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`, cell: ({ name }) => name },
          { head: 'Server', cell: ({ server }) => server },
          {
            head: 'Outcome',
            kind: 'state',
            cell: ({ refusal }) => (
              <Status tone={refusal === null ? 'good' : 'bad'}>
                {refusal === null ? verb.toLowerCase() : 'refused'}
              </Status>
            ),
          },
          {
            head: 'Details',
            kind: 'text',
            cell: ({ result, refusal }) => (refusal === null ? result : <LocalTimes text={refusal} />),
          },
        ]}
      />
    </>,
  );
}
