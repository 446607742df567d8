import type { Instant } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { type Approval, type ApprovalState, approversOf } from '../../../../../domain/jobs/approval.ts';
import { By } from '../../components/origin.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, InWords } from '../../components/time.tsx';

const OF_STATE: Readonly<Record<ApprovalState, readonly ['good' | 'bad' | 'care' | 'off', string]>> = {
  waiting: ['care', 'waiting'],
  approved: ['good', 'approved'],
  refused: ['bad', 'declined'],
  expired: ['off', 'expired'],
  withdrawn: ['off', 'withdrawn'],
};

export function ApprovalStatus({ state }: { readonly state: ApprovalState }) {
  const [tone, word] = OF_STATE[state];
  return <Status tone={tone}>{word}</Status>;
}

/** How long it may still be approved. */
export function Until({ approval, now }: { readonly approval: Approval; readonly now: Instant }) {
  const at = approval.expiresAt;
  return <InWords at={at} words={at <= now ? 'now' : `in ${duration(at - now)}`} />;
}

/** The reviewer, the time, and the comment. */
export function Decision({ approval, now }: { readonly approval: Approval; readonly now: Instant }) {
  const { decidedAt, decidedBy, note, state } = approval;
  const by = state === 'approved' ? approversOf(approval) : [decidedBy].filter((each) => each !== null);
  if (decidedAt === null) return <span class="quiet">–</span>;
  return (
    <>
      {by.map((label) => (
        <>
          <By key={label} label={label} />,{' '}
        </>
      ))}
      <Ago at={decidedAt} now={now} />
      {note === null ? null : `: ${note}`}
    </>
  );
}

/** On a job's page: that it waits for approval, or who approved it. */
export function ApprovalOfJob({ approval, now }: { readonly approval: Approval; readonly now: Instant }) {
  return (
    <p class={approval.state === 'waiting' ? 'notice care' : 'quiet'}>
      <ApprovalStatus state={approval.state} />{' '}
      {approval.state === 'waiting' ? (
        <>
          This job starts only if it is approved; otherwise it expires <Until approval={approval} now={now} />
          .{' '}
        </>
      ) : (
        <>
          <Decision approval={approval} now={now} />{' '}
        </>
      )}
      <a href={`/approvals/${approval.id}`}>{approval.state === 'waiting' ? 'Decide' : 'View request'}</a>
    </p>
  );
}
