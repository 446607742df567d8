import {
  DUMP_KINDS,
  DUMP_RULES,
  type Dump,
  type DumpChange,
  type DumpClientPlace,
} from '../../../../../domain/backups/dump.ts';
import { Choices, Field, type FormState, Select } from '../../components/form.tsx';
import { numberOf, textOf } from '../../form-state.ts';

interface DumpFieldsProps {
  readonly state: FormState;
  /** `null`: a new one. */
  readonly dump: Dump | null;
  /** Names of the server's containers, as far as they are known. */
  readonly containers: readonly string[];
}

/** How a database is dumped. Its password is never shown: an empty field leaves it as it is. */
export function DumpFields({ state, dump, containers }: DumpFieldsProps) {
  return (
    <>
      {dump === null ? <NewDumpFields state={state} /> : null}
      <Field
        state={state}
        name="database"
        label="Database"
        value={dump?.database ?? ''}
        required={false}
        help="One database; for SQLite the absolute path of the file. Empty: all databases of the server."
      />
      <Select
        state={state}
        name="client"
        label="Where the client runs"
        value={dump?.client ?? 'host'}
        options={[
          { value: 'host', label: 'on the server itself' },
          { value: 'docker', label: 'in a Docker container' },
          { value: 'podman', label: 'in a Podman container' },
        ]}
      />
      <Field
        state={state}
        name="container"
        label="Container"
        value={dump?.container ?? ''}
        list="containers"
        required={false}
        help="Name of the container, if the client runs in one."
      />
      <datalist id="containers">
        {containers.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field
        state={state}
        name="user"
        label="Database user"
        value={dump?.user ?? ''}
        required={false}
        help="Empty: the client's default. SQLite has none."
      />
      <PasswordField state={state} dump={dump} />
      <Field
        state={state}
        name="host"
        label="Address of the database server"
        value={dump?.host ?? ''}
        required={false}
        help="A host name, an address or the path of a socket, as the client sees it. Empty: the machine on which the client runs."
      />
      <Field
        state={state}
        name="port"
        label="Port"
        value={dump?.port === null || dump === null ? '' : String(dump.port)}
        required={false}
        inputmode="numeric"
        help="Empty: the default port."
      />
    </>
  );
}

const NewDumpFields = ({ state }: { readonly state: FormState }) => (
  <>
    <Field
      state={state}
      name="name"
      label="Name"
      help="For example shop. The file in the snapshot gets this name."
    />
    <Select
      state={state}
      name="kind"
      label="Kind"
      value="postgres"
      options={DUMP_KINDS.map((kind) => ({ value: kind, label: DUMP_RULES[kind].label }))}
    />
  </>
);

function PasswordField({ state, dump }: Pick<DumpFieldsProps, 'state' | 'dump'>) {
  const isSet = dump?.hasPassword ?? false;
  return (
    <>
      <Field
        state={state}
        name="password"
        type="password"
        label={isSet ? 'New password' : 'Password'}
        required={false}
        autocomplete="new-password"
        help={
          isSet
            ? 'Empty: no change, unless you change the client, container, address or port.'
            : 'It is encrypted and never shown again. Empty: none.'
        }
      />
      {isSet ? (
        <Choices
          state={state}
          name="no_password"
          legend="Remove the password"
          type="checkbox"
          chosen={[]}
          choices={[{ value: 'yes', label: 'Connect without a password' }]}
        />
      ) : null}
    </>
  );
}

/** The fields that an edit can change. */
export function connectionOf(form: URLSearchParams): DumpChange {
  const orNull = (name: string): string | null => textOf(form, name) || null;
  const password = form.get('password') || undefined;
  const client = form.get('client');
  const place: DumpClientPlace = client === 'docker' || client === 'podman' ? client : 'host';
  return {
    client: place,
    container: orNull('container'),
    database: orNull('database'),
    user: orNull('user'),
    host: orNull('host'),
    port: textOf(form, 'port') === '' ? null : numberOf(form, 'port'),
    password: password ?? (form.get('no_password') === 'yes' ? null : undefined),
  };
}
