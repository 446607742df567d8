import type { Server } from '../../../../../domain/fleet/server.ts';
import type { SshKey } from '../../../../../domain/fleet/ssh-key.ts';
import { Field, FormFault, type FormState, Select } from '../../components/form.tsx';
import { FeatureChoices } from './features.tsx';
import { Way } from './remedy.tsx';
import { AddressFields, AGENT, keyOptions } from './server-address.tsx';

export type Part = 'name' | 'address' | 'features' | 'files' | 'updates' | 'remove';

interface FormProps {
  readonly server: Server;
  readonly state: (part: Part) => FormState;
}

export const NameForm = ({ server, state }: FormProps) => (
  <form method="post" action={`/servers/${server.id}/settings/name`} class="column" id="name-form">
    <h2>General</h2>
    <FormFault state={state('name')} />
    <Field state={state('name')} name="name" label="Name" value={server.name} />
    <Field
      state={state('name')}
      name="tags"
      label="Tags"
      value={server.tags.join(' ')}
      required={false}
      help="Separated by spaces or commas, such as web eu. Used in lists, schedules and windows."
    />
    <Field
      state={state('name')}
      name="notes"
      label="Notes"
      type="lines"
      value={server.notes}
      required={false}
      help="What other operators should know. Shown on the server's overview; up to 4,000 characters."
    />
    <button type="submit" class="quiet">
      Save general settings
    </button>
  </form>
);

export function AddressForm({
  server,
  state,
  keys,
  jump,
  hasAgent,
}: FormProps & { readonly keys: readonly SshKey[]; readonly jump: string; readonly hasAgent: boolean }) {
  const { address } = server;
  const key = address.sshKeyId === null ? AGENT : String(address.sshKeyId);
  const options = keyOptions(keys, hasAgent || address.sshKeyId === null);
  return (
    <form method="post" action={`/servers/${server.id}/settings/address`} class="column" id="address-form">
      <h2>Connection</h2>
      <p class="quiet">
        Host key {address.hostKey === null ? 'not confirmed' : <code>{address.hostKey.fingerprint}</code>}.
        Changing address or port requires confirming it again.{' '}
        <Way
          to={`/servers/${server.id}/setup/key`}
          label="Compare"
          about={`the host key of ${server.name}`}
        />
      </p>
      <FormFault state={state('address')} />
      <AddressFields state={state('address')} value={{ ...address, jump }} />
      <Select
        state={state('address')}
        name="key"
        path="/ssh_key_id"
        label="SSH key"
        value={key}
        options={options}
      />
      <p>
        <a href={`/servers/${server.id}/setup/key`}>Command to install the key</a>
      </p>
      <button type="submit" class="quiet">
        Save connection
      </button>
    </form>
  );
}

export const FeaturesForm = ({ server, state }: FormProps) => (
  <form method="post" action={`/servers/${server.id}/settings/features`} class="column" id="features-form">
    <h2>Features</h2>
    <FormFault state={state('features')} />
    <FeatureChoices state={state('features')} chosen={server.features} />
    <button type="submit" class="quiet">
      Save features
    </button>
  </form>
);

export const FilesForm = ({ server, state }: FormProps) => (
  <form method="post" action={`/servers/${server.id}/settings/files`} class="column" id="files-form">
    <h2>Files and stacks</h2>
    <FormFault state={state('files')} />
    <Field
      state={state('files')}
      name="jail"
      label="File access folder"
      value={server.jail ?? ''}
      required={false}
      help="The only directory that file tools, and agents, can access. Empty: none."
    />
    <Field
      state={state('files')}
      name="jail_deny"
      label="Hidden files"
      type="lines"
      value={server.jailDeny.join('\n')}
      required={false}
      help="One pattern per line, such as *.env; files with secrets are always hidden."
    />
    <Field
      state={state('files')}
      name="compose_dirs"
      label="Compose directories"
      type="lines"
      value={server.composeDirs.join('\n')}
      required={false}
      help="One per line: a project, or the parent directory of several."
    />
    <button type="submit" class="quiet">
      Save files and stacks
    </button>
  </form>
);

export const UpdatesForm = ({ server, state }: FormProps) => (
  <form method="post" action={`/servers/${server.id}/settings/updates`} class="column" id="updates-form">
    <h2>Package updates</h2>
    <FormFault state={state('updates')} />
    <Field
      state={state('updates')}
      name="update_checks"
      label="Checks of guarded updates"
      type="lines"
      value={server.updateChecks.join('\n')}
      required={false}
      help='One per line, run on the server: http 80 /health 200, tcp 5432, or command ["systemctl", "is-active", "nginx"].'
    />
    <button type="submit" class="quiet">
      Save checks
    </button>
  </form>
);

export const RemoveForm = ({ server, state }: FormProps) => (
  <form method="post" action={`/servers/${server.id}/settings/remove`} class="column" id="remove-form">
    <h2>Danger zone</h2>
    <p>
      Nothing changes on the server. Its history and snapshots are kept; its schedules, backups and checks
      stop. If you add it again, it is a new server.
    </p>
    <FormFault state={state('remove')} />
    <Field
      state={state('remove')}
      name="confirm"
      label={`Type ${server.name} to confirm`}
      autocomplete="off"
    />
    <button type="submit" class="danger" data-needs-name={server.name}>
      Remove {server.name}
    </button>
  </form>
);
