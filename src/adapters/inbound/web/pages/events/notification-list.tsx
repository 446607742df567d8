import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Notification } from '../../../../../domain/events/notification.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { SEVERITY_TONES } from './notification-rows.tsx';

interface Props {
  readonly notifications: readonly Notification[];
  readonly now: Instant;
  /** Where they are acted on. */
  readonly path: string;
  readonly mayAct: boolean;
  /** For how long they can be muted. */
  readonly spans: readonly string[];
  readonly nothing: string;
}

/** What is wrong, as a table, with what can be done about being told. */
export function NotificationList({ notifications, now, path, mayAct, spans, nothing }: Props) {
  if (notifications.length === 0) return <p class="quiet">{nothing}</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Severity</th>
            <th scope="col">What</th>
            <th scope="col">Where</th>
            <th scope="col">Since</th>
            <th scope="col">State</th>
            {mayAct ? (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {notifications.map((each) => (
            <tr key={each.id}>
              <td>
                <Status tone={SEVERITY_TONES[each.severity]}>{each.severity}</Status>
              </td>
              <td class="text">
                <strong>{each.title}</strong>
                <span class="help">{each.message}</span>
              </td>
              <td>
                <Where notification={each} />
              </td>
              <td>
                <Ago at={each.beganAt} now={now} />
              </td>
              <td>
                <State notification={each} now={now} />
              </td>
              {mayAct ? (
                <td>
                  {each.state === 'resolved' ? null : <Act notification={each} path={path} spans={spans} />}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Where({ notification: { serverId, serverName, jobId } }: { readonly notification: Notification }) {
  return (
    <>
      {serverId === null ? '–' : <a href={`/servers/${serverId}`}>{serverName ?? `server ${serverId}`}</a>}{' '}
      {jobId === null ? null : <a href={`/jobs/${jobId}`}>job {jobId}</a>}
    </>
  );
}

function State({
  notification: { state, muted, acknowledgedBy, resolvedAt },
  now,
}: {
  readonly notification: Notification;
  readonly now: Instant;
}) {
  if (state === 'resolved')
    return (
      <>
        <Status tone="good">over</Status> <Ago at={resolvedAt} now={now} />
      </>
    );
  if (muted) return <Status tone="off">muted</Status>;
  return state === 'acknowledged' ? (
    <Status tone="busy">{`acknowledged by ${acknowledgedBy ?? 'a user'}`}</Status>
  ) : (
    <Status tone="care">open</Status>
  );
}

function Act({
  notification: { id, kind, state, serverId, muted, title },
  path,
  spans,
}: {
  readonly notification: Notification;
  readonly path: string;
  readonly spans: readonly string[];
}) {
  return (
    <div class="row">
      {state === 'open' ? (
        <form method="post" action={`${path}/${id}/acknowledge`}>
          <button type="submit" class="quiet" aria-label={`Acknowledge: ${title}`}>
            Acknowledge
          </button>
        </form>
      ) : null}
      {muted ? null : (
        <form method="post" action={`${path}/mute`} class="row">
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="server_id" value={serverId ?? ''} />
          <label class="hidden" for={`for-${id}`}>
            For how long: {title}
          </label>
          <select id={`for-${id}`} name="for">
            {spans.map((span) => (
              <option key={span} value={span}>
                {span === 'ever' ? 'for good' : span}
              </option>
            ))}
          </select>
          <button type="submit" class="quiet" aria-label={`Mute: ${title}`}>
            Mute
          </button>
        </form>
      )}
    </div>
  );
}
