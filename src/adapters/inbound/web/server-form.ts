import type { GetServer } from '../../../application/fleet/get-server.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { blaming, numberOf, textOf } from './form-state.ts';

/** A form's address fields. Throws `invalid_input` if the jump server does not exist. */
export async function addressOf(form: URLSearchParams, actor: Actor, servers: Pick<GetServer, 'named'>) {
  const jump = textOf(form, 'jump');
  const through =
    jump === ''
      ? null
      : await blaming({ server_not_found: '/jump_server_id' }, () => servers.named(actor, jump));
  return {
    hostname: textOf(form, 'hostname'),
    sshPort: numberOf(form, 'ssh_port'),
    sshUsername: textOf(form, 'ssh_username'),
    become: form.get('become') === 'sudo' ? ('sudo' as const) : ('none' as const),
    jumpServerId: through?.id ?? null,
  };
}
