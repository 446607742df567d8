import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { blaming, textOf } from '../../form-state.ts';
import type { SignedInVisit } from '../../route.ts';
import { addressOf, changed, unlessUnchanged } from '../../server-form.ts';
import { AddressFields } from './server-address.tsx';

interface Deps {
  readonly getServer: Pick<GetServer, 'execute' | 'named'>;
  readonly editServer: Pick<EditServer, 'execute'>;
}

/** The first card of adding a server, again. */
export async function addressCard(
  { getServer }: Deps,
  { visitor: { actor } }: SignedInVisit,
  { id, name, address }: Server,
  state: FormState,
) {
  const { jumpServerId } = address;
  const jump = jumpServerId === null ? null : await getServer.execute(actor, jumpServerId).catch(() => null);
  return (
    <form method="post" action={`/servers/${id}/setup/address`}>
      <FormFault state={state} />
      <Field state={state} name="name" label="Name" value={name} />
      <AddressFields state={state} value={{ ...address, jump: jump?.name ?? '' }} />
      <p class="actions">
        <button type="submit">Continue</button>
        <a href={`/servers/${id}/setup`}>Cancel</a>
      </p>
    </form>
  );
}

export async function saveAddress(
  { getServer, editServer }: Deps,
  { visitor: { actor }, form }: SignedInVisit,
  server: Server,
): Promise<void> {
  const said = { name: textOf(form, 'name'), ...(await addressOf(form, actor, getServer)) };
  await blaming({ name_taken: '/name' }, () =>
    editServer.execute(actor, server.id, changed(server, said)),
  ).catch(unlessUnchanged);
}
