import type { Server } from '../../../../../domain/fleet/server.ts';
import { Field, FormFault, type FormState } from '../../components/form.tsx';

/** Explains file roots, for a server without one. */
export function JailForm({ server, state }: { readonly server: Server; readonly state: FormState }) {
  const suggested = server.composeDirs[0] ?? '';
  return (
    <form method="post" action={`/servers/${server.id}/files/jail`} class="column">
      <p>
        {server.name} has no jail yet: the one directory that people and agents may work in with file tools.
        Everything outside of it stays out of their reach, and so do keys, shell profiles and what you deny
        here.
      </p>
      <FormFault state={state} />
      <Field
        state={state}
        name="jail"
        label="Directory"
        value={suggested}
        help="Absolute, without links, such as /srv/compose. System directories such as /etc cannot be a jail."
        focus
      />
      <Field
        state={state}
        name="jail_deny"
        label="Denied names"
        help="Patterns separated by spaces, such as .env *.sqlite; added to those of keys and stored passwords."
        required={false}
      />
      <p class="actions">
        <button type="submit">Set file root</button>
        <a href={`/servers/${server.id}`}>Cancel</a>
      </p>
    </form>
  );
}
