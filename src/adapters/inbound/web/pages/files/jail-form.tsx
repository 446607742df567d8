import type { Server } from '../../../../../domain/fleet/server.ts';
import { Field, FormFault, type FormState } from '../../components/form.tsx';

/** Explains file roots, for a server without one. */
export function JailForm({ server, state }: { readonly server: Server; readonly state: FormState }) {
  const suggested = server.composeDirs[0] ?? '';
  return (
    <form method="post" action={`/servers/${server.id}/files/jail`} class="column">
      <p>
        {server.name} has no file access folder yet: the only directory that users and agents can access with
        file tools. Keys, shell profiles and the names that you hide here stay inaccessible.
      </p>
      <FormFault state={state} />
      <Field
        state={state}
        name="jail"
        label="Folder"
        value={suggested}
        help="An absolute path without links, such as /srv/compose. System directories such as /etc cannot be it."
        focus
      />
      <Field
        state={state}
        name="jail_deny"
        label="Hidden files"
        help="Patterns separated by spaces, such as .env *.sqlite; keys and stored passwords are always hidden."
        required={false}
      />
      <p class="actions">
        <button type="submit">Set file access folder</button>
        <a href={`/servers/${server.id}`}>Cancel</a>
      </p>
    </form>
  );
}
