import type { ManageKeys } from '../../../../../application/fleet/manage-keys.ts';
import { Card } from '../../components/card.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Ago } from '../../components/time.tsx';
import { blaming, formRoute, idOf, submit, textOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';

export interface SshKeyDeps {
  readonly manageKeys: Pick<ManageKeys, 'list' | 'create' | 'import' | 'remove'>;
}

const PATH = '/settings/keys';
const IMPORT_PATH = `${PATH}/import`;

/** The service's SSH keys. Private keys are never shown. */
export const sshKeyRoutes = (deps: SshKeyDeps): readonly WebRoute[] => [
  { method: 'GET', path: PATH, needs: 'operator', handle: (visit) => listPage(deps, visit, NEW_FORM) },
  formRoute(
    PATH,
    async (visit) => {
      const { name } = await blaming({ name_taken: '/name' }, () =>
        deps.manageKeys.create(visit.visitor.actor, textOf(visit.form, 'name')),
      );
      return done(PATH, name);
    },
    (visit, state) => listPage(deps, visit, state, 422),
    { needs: 'operator' },
  ),
  formRoute(
    `${PATH}/:id/remove`,
    async (visit) => {
      const id = idOf(visit.params['id']) ?? 0;
      const key = (await deps.manageKeys.list()).find((each) => each.id === id);
      await deps.manageKeys.remove(visit.visitor.actor, id);
      return done(PATH, key?.name ?? '');
    },
    (visit, state) => listPage(deps, visit, state, 409),
    { confirm: true },
  ),
  { method: 'GET', path: IMPORT_PATH, needs: 'operator', handle: () => importPage(NEW_FORM) },
  {
    method: 'POST',
    path: IMPORT_PATH,
    needs: 'operator',
    handle: ({ form, visitor }) =>
      submit(
        form,
        async () => {
          const passphrase = form.get('passphrase') ?? '';
          // Browsers send lines with both ends; keys are read with one.
          const pem = (form.get('private_key') ?? '').replaceAll('\r\n', '\n');
          await blaming({ name_taken: '/name', invalid_input: '/private_key' }, () =>
            deps.manageKeys.import(
              visitor.actor,
              textOf(form, 'name'),
              pem,
              passphrase === '' ? undefined : passphrase,
            ),
          );
          return done(PATH, textOf(form, 'name'));
        },
        (state) => importPage(withoutKey(state), 422),
      ),
  },
];

/** A private key is never sent back, though it was typed. */
function withoutKey(state: FormState): FormState {
  const typed = new URLSearchParams(state.typed);
  typed.delete('private_key');
  return { ...state, typed };
}

async function listPage(
  { manageKeys }: SshKeyDeps,
  { visitor, now }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const keys = await manageKeys.list();
  const reply = page(
    'settings',
    'SSH keys',
    <div class="stack">
      <FormFault state={state} />
      {keys.length === 0 ? (
        <Empty icon="key-round">
          No keys yet. Drover also creates one when you <a href="/servers/new">add a server</a>.
        </Empty>
      ) : null}
      {keys.map(({ id, name, algorithm, fingerprint, publicKey, createdAt }) => (
        <Card
          key={id}
          title={name}
          note={
            <>
              {algorithm}, created <Ago at={createdAt} now={now} />
            </>
          }
        >
          <Copyable id={`key-${id}`} text={publicKey} />
          <p class="help mono">{fingerprint}</p>
          {visitor.actor.role === 'administrator' ? (
            <details>
              <summary>Delete the key {name}…</summary>
              <form method="post" action={`${PATH}/${id}/remove`} class="column">
                <p>
                  Deletes its private key for good: Drover can no longer sign in to a server that accepts only
                  this key. A key that a server of Drover uses is not deleted.
                </p>
                <p class="actions">
                  <button type="submit" class="danger">
                    Delete the key {name}
                  </button>
                </p>
              </form>
            </details>
          ) : null}
        </Card>
      ))}
      <Card title="Create a key">
        <form method="post" action={PATH} class="column">
          <Field
            state={state}
            name="name"
            label="Name"
            help="Drover creates and encrypts the private key, which never leaves the service. Add the public key to authorized_keys."
          />
          <p class="actions">
            <button type="submit">Create key</button>
          </p>
        </form>
      </Card>
    </div>,
    status,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      sub: 'Drover signs in to servers with these keys. Private keys are never shown.',
      actions: (
        <a class="button quiet" href={IMPORT_PATH}>
          Import an existing key
        </a>
      ),
    },
  };
}

const importPage = (state: FormState, status = 200): WebReply =>
  page(
    'settings',
    'Import an SSH key',
    <form method="post" action={IMPORT_PATH} class="column">
      <FormFault state={state} />
      <Field state={state} name="name" label="Name" focus />
      <Field
        state={state}
        name="private_key"
        label="Private key"
        type="lines"
        help="In OpenSSH or PEM form. It is encrypted, and never shown again."
      />
      <Field
        state={state}
        name="passphrase"
        label="Passphrase"
        type="password"
        help="If the key has one. It is not stored."
        required={false}
      />
      <p class="actions">
        <button type="submit">Import</button>
        <a href={PATH}>Cancel</a>
      </p>
    </form>,
    status,
  );
