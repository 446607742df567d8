import type { ApprovalStanding } from '../../../../../application/jobs/approval-rules.ts';
import { isUsualRule, ruleText } from '../../../../../domain/access/approval-rule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { By } from '../../components/origin.tsx';
import { Ago } from '../../components/time.tsx';
import { Fact } from '../fleet/fact.tsx';

interface StandingProps {
  readonly standing: ApprovalStanding;
  readonly waiting: boolean;
  readonly now: Instant;
}

/** Who approved, how many are missing, and who may; nothing if any operator decides alone. */
export function StandingFacts({ standing, waiting, now }: StandingProps) {
  const { rule, votes, voidVotes, missing } = standing;
  if (isUsualRule(rule) && votes.length + voidVotes.length < 2) return null;
  return (
    <>
      {waiting ? <Fact name="Needs">{ruleText(rule)}</Fact> : null}
      <Fact name="Approved by">
        {votes.map(({ label, at }) => (
          <span key={label}>
            <By label={label} />{' '}
            <span class="quiet">
              <Ago at={at} now={now} />
            </span>{' '}
          </span>
        ))}
        {voidVotes.map(({ label }) => (
          <span key={label} class="quiet">
            <By label={label} /> does not count: another dry run, or no longer allowed{' '}
          </span>
        ))}
        {waiting ? (
          <span class="quiet">{count(missing, 'approval')} missing</span>
        ) : votes.length === 0 ? (
          '–'
        ) : null}
      </Fact>
    </>
  );
}

const FAULTS: Readonly<Record<NonNullable<ApprovalStanding['fault']>, string>> = {
  role: 'Your role does not allow you to approve this.',
  'second person':
    'Someone else has to approve this: you asked for it, created its token or replaced the secret, or started its dry run.',
  'already approved': 'You have approved this. It waits for more users.',
  'command line': 'Drover does not know who you are, so you cannot approve this.',
};

/** Why the reader cannot approve it; they can still decline it. */
export const StandingFault = ({ fault }: { readonly fault: NonNullable<ApprovalStanding['fault']> }) => (
  <p class="quiet">{FAULTS[fault]}</p>
);
