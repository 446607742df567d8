import type { SshKey } from '../../../../../domain/fleet/ssh-key.ts';
import { Field, type FormState, Select } from '../../components/form.tsx';

interface Login {
  readonly sshPort: number;
  readonly sshUsername: string;
  readonly become: 'none' | 'sudo';
  /** The name of the server that leads to it. */
  readonly jump: string;
}

interface FieldsProps<V> {
  readonly state: FormState;
  readonly value: V;
}

/** A server's address, and its login. */
export const AddressFields = ({ state, value }: FieldsProps<Login & { readonly hostname: string }>) => (
  <>
    <HostField state={state} value={value.hostname} />
    <LoginFields state={state} value={value} />
  </>
);

export const HostField = ({ focus, ...props }: FieldsProps<string> & { readonly focus?: boolean }) => (
  <Field
    {...props}
    {...(focus ? { focus } : {})}
    name="hostname"
    label="Address"
    placeholder="192.0.2.7 or web.example.org"
    help="A host name or IP address that Drover can reach."
  />
);

export function LoginFields({ state, value }: FieldsProps<Login>) {
  return (
    <>
      <Field
        state={state}
        name="ssh_port"
        label="SSH port"
        value={String(value.sshPort)}
        inputmode="numeric"
      />
      <Field
        state={state}
        name="ssh_username"
        label="Account"
        value={value.sshUsername}
        help="root, or an account with passwordless sudo."
      />
      <Select
        state={state}
        name="become"
        label="Privileges"
        value={value.become}
        options={[
          { value: 'none', label: 'none: commands run as this account' },
          { value: 'sudo', label: 'sudo' },
        ]}
      />
      <Field
        state={state}
        name="jump"
        path="/jump_server_id"
        label="Jump host"
        value={value.jump}
        required={false}
        help="Optional: a server in Drover to connect through."
      />
    </>
  );
}

/** The value for the SSH agent in the choice of keys. */
export const AGENT = 'agent';

export const keyOptions = (keys: readonly SshKey[], hasAgent: boolean) => [
  ...keys.map(({ id, name }) => ({ value: String(id), label: name })),
  ...(hasAgent ? [{ value: AGENT, label: 'a key of the SSH agent' }] : []),
];
