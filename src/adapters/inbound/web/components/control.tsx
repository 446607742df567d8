import type { Actor } from '../../../../domain/access/actor.ts';
import { controlOf, isOwnServer } from '../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../domain/fleet/server.ts';

type OwnServer = Pick<Server, 'id' | 'name' | 'address' | 'facts'>;

/**
 * Whether this is the service's own machine, and the user must not do anything there that gives control of the
 * service.
 */
export const lacksControl = (actor: Actor, server: OwnServer): boolean =>
  isOwnServer(server) && controlOf(actor, server.id) !== 'held';

/** Whether the user may do it, possibly after confirming the password. */
export const mayControl = (actor: Actor, server: OwnServer): boolean =>
  !isOwnServer(server) || controlOf(actor, server.id) !== 'missing';

/** Replaces forms that the user may not use: says why, and what to do. `to`: the page to return to. */
export function ControlNotice({
  actor,
  server,
  to,
}: {
  readonly actor: Actor;
  readonly server: Pick<OwnServer, 'name'>;
  readonly to: string;
}) {
  const why = `${server.name} is the machine that Drover itself runs on: its files, backup sources, restores and deployments give control of Drover, so they are for administrators.`;
  return (
    <p class="notice">
      {why}{' '}
      {controlOf(actor, null) === 'unconfirmed' ? (
        <a href={`/confirm?next=${encodeURIComponent(to)}`}>Confirm your password to change them</a>
      ) : (
        'Ask an administrator to change them.'
      )}
    </p>
  );
}
