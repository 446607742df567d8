import type { ChangePreview, ChangeRequest } from '../../../../../domain/jobs/requested-change.ts';
import { Diff } from '../../components/diff.tsx';
import { Status } from '../../components/status.tsx';
import { Fact } from '../fleet/fact.tsx';

const OUTCOMES = {
  running: ['busy', 'in progress'],
  done: ['good', 'done'],
  failed: ['bad', 'not done'],
  unknown: ['care', 'result unknown'],
} as const;

/** The change in one line, and how it ended. */
export function ChangeFacts({
  change: { summary, outcome, outcomeDetail },
}: {
  readonly change: ChangeRequest;
}) {
  return (
    <>
      <Fact name="Change">{summary}</Fact>
      {outcome === null ? null : (
        <Fact name="Result">
          <Status tone={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</Status> {outcomeDetail}
        </Fact>
      )}
    </>
  );
}

interface ChangePartProps {
  /** Null once it is decided. */
  readonly preview: ChangePreview | null;
  readonly mayDecide: boolean;
}

/** What a requested change would do: before and after, and the difference of a text. */
export function ChangePart({ preview, mayDecide }: ChangePartProps) {
  if (preview === null) {
    return (
      <section id="plan">
        <p class="quiet">Drover deleted the contents of this request with the decision.</p>
      </section>
    );
  }
  const { facts, diff } = preview;
  return (
    <section id="plan">
      <h2>Planned changes</h2>
      <dl class="kv">
        {facts.map(({ name, before, after }) => (
          <Fact key={name} name={name}>
            {before === null || after === null ? (before ?? after) : `${before} → ${after}`}
          </Fact>
        ))}
      </dl>
      {diff === null ? null : <Diff diff={diff} label="Difference" rest="see drover approval show" />}
      {mayDecide ? (
        <p class="quiet">
          If the state has changed by the time you approve, Drover refuses and changes nothing.
        </p>
      ) : null}
    </section>
  );
}
