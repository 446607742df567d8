import { browserName } from '../../../../../domain/access/browser-name.ts';
import type { Session } from '../../../../../domain/access/session.ts';
import { Card } from '../../components/card.tsx';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { Ago } from '../../components/time.tsx';

interface SessionsProps {
  readonly sessions: readonly Session[];
  readonly current: number;
  readonly now: number;
}

/** The browsers that the user is signed in with. */
export const Sessions = ({ sessions, current, now }: SessionsProps) => (
  <Card
    title="Signed in"
    note={sessions.length}
    actions={
      sessions.length < 2 ? null : (
        <form method="post" action="/account/sessions/end-others">
          <button type="submit" class="quiet small">
            Sign out all other sessions
          </button>
        </form>
      )
    }
    flush
  >
    <DataTable
      rows={sessions}
      keyOf={({ id }) => id}
      empty="No browser is signed in: this page needs no sign-in."
      columns={[
        {
          head: 'Browser',
          kind: 'text',
          cell: ({ id, agent }) => (
            <>
              <span title={agent}>{browserName(agent) || 'unknown'}</span>{' '}
              {id === current ? <span class="tag">this one</span> : null}
            </>
          ),
        },
        { head: 'Address', kind: 'code', cell: ({ address }) => address },
        { head: 'Last used', cell: ({ seenAt }) => <Ago at={seenAt} now={now} /> },
        {
          head: 'Actions',
          kind: 'actions',
          cell: ({ id, address }) =>
            id === current ? null : (
              <RowButton
                action={`/account/sessions/${id}/end`}
                label="End"
                about={`the session from ${address}`}
              />
            ),
        },
      ]}
    />
  </Card>
);
