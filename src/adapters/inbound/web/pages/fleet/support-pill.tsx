import type { Instant } from '../../../../../domain/base/instant.ts';
import { isRolling, supportState } from '../../../../../domain/fleet/os-support.ts';
import type { ServerFacts } from '../../../../../domain/fleet/server.ts';
import { Status } from '../../components/status.tsx';
import { CalendarDay } from '../../components/time.tsx';

/** Shown for a release that is out of support, or soon. */
export function SupportPill({ endsAt, now }: { readonly endsAt: Instant | null; readonly now: Instant }) {
  const state = supportState(endsAt, now);
  if (state === null || endsAt === null) return null;
  return state === 'ended' ? (
    <Status tone="bad">out of support</Status>
  ) : (
    <Status tone="care">support ends soon</Status>
  );
}

/** Until when a release gets security updates. */
export function Support({
  facts: { osId, supportEndsAt },
  now,
}: {
  readonly facts: Pick<ServerFacts, 'osId' | 'supportEndsAt'>;
  readonly now: Instant;
}) {
  if (supportEndsAt === null) return isRolling(osId) ? 'rolling release' : 'end not known';
  const state = supportState(supportEndsAt, now);
  if (state === null)
    return (
      <>
        until <CalendarDay at={supportEndsAt} />
      </>
    );
  return (
    <>
      <Status tone={state === 'ended' ? 'bad' : 'care'}>{state === 'ended' ? 'ended' : 'ends soon'}</Status>{' '}
      <CalendarDay at={supportEndsAt} />
    </>
  );
}
