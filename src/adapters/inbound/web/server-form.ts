import type { GetServer } from '../../../application/fleet/get-server.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { isDomainError } from '../../../domain/base/errors.ts';
import type { Server } from '../../../domain/fleet/server.ts';
import type { DescriptionChange } from '../../../domain/fleet/server-description.ts';
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

/** A form that is sent as it was is no fault. */
export function unlessUnchanged(error: unknown): void {
  if (!isDomainError(error, 'empty_change')) throw error;
}

/** Only differences: a new address or port requires a new host key confirmation, an unchanged one does not. */
export function changed({ name, address }: Server, said: DescriptionChange): DescriptionChange {
  const before: Readonly<Record<string, unknown>> = { name, ...address };
  return Object.fromEntries(Object.entries(said).filter(([field, value]) => before[field] !== value));
}
