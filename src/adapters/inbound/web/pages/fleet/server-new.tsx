import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ManageKeys } from '../../../../../application/fleet/manage-keys.ts';
import type { EditServer, RegisterServer } from '../../../../../application/fleet/register-server.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { nameFromAddress } from '../../../../../domain/fleet/data-paths.ts';
import { controlOf, requireControlOfService } from '../../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { SshKey } from '../../../../../domain/fleet/ssh-key.ts';
import { Field, FormFault, type FormState, NEW_FORM, Select } from '../../components/form.tsx';
import { blaming, formRoute, listOf, textOf } from '../../form-state.ts';
import { page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { addressOf } from '../../server-form.ts';
import { AGENT, HostField, keyOptions, LoginFields } from './server-address.tsx';
import { SetupCards } from './setup-card.tsx';

export interface ServerNewDeps {
  readonly getServer: Pick<GetServer, 'named'>;
  readonly registerServer: Pick<RegisterServer, 'execute'>;
  readonly editServer: Pick<EditServer, 'execute'>;
  readonly manageKeys: Pick<ManageKeys, 'list' | 'findByName' | 'create'>;
  readonly settings: { readonly hasSshAgent: boolean };
}

const PATH = '/servers/new';

/** The key that servers share unless they are given another; as the command line has it. */
export const SHARED_KEY = 'drover';
const SHARED = 'shared';
const OWN = 'own';
const MAX_NUMBER = 100;
/** Problems of the fields that are folded. */
const ADVANCED = /^\/(ssh_port|ssh_username|become|jump_server_id|ssh_key_id)/;

/** The first card of adding a server: its address. The server is then in the fleet, and the other cards can wait. */
export const serverNewRoutes = (deps: ServerNewDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATH,
    needs: 'operator',
    handle: ({ query, visitor }) => {
      if (!query.has('local')) return newPage(deps, visitor.actor, NEW_FORM);
      requireControlOfService(visitor.actor);
      return localPage(NEW_FORM);
    },
  },
  formRoute(
    PATH,
    async (visit) => redirect(`/servers/${(await add(deps, visit)).id}/setup`),
    (visit, state) =>
      isLocal(visit.form) ? localPage(state, 422) : newPage(deps, visit.visitor.actor, state, 422),
    { needs: 'operator' },
  ),
];

const isLocal = (form: URLSearchParams): boolean => form.get('connection') === 'local';

async function add(deps: ServerNewDeps, { visitor, form }: SignedInVisit): Promise<Server> {
  const { actor } = visitor;
  if (isLocal(form)) {
    const name = textOf(form, 'name');
    return blaming({ name_taken: '/name' }, () =>
      deps.registerServer.execute(actor, { name, connection: 'local', tags: listOf(form, 'tags') }),
    );
  }
  const address = await addressOf(form, actor, deps.getServer);
  const name = textOf(form, 'name') || (await freeName(deps, actor, nameFromAddress(address.hostname)));
  const choice = await chosenKey(deps, form.get('key') ?? SHARED, name);
  const server = await blaming({ name_taken: '/name' }, () =>
    deps.registerServer.execute(actor, {
      name,
      connection: 'ssh',
      ...address,
      tags: listOf(form, 'tags'),
      sshKeyId: typeof choice === 'number' ? choice : null,
    }),
  );
  // Not sooner: if the server is refused, no key is left behind.
  return choice === OWN || choice === SHARED
    ? withNewKey(deps, actor, server, choice === OWN ? name : SHARED_KEY)
    : server;
}

/** The name, or with the first number that makes it unique. */
export async function freeName(
  { getServer }: Pick<ServerNewDeps, 'getServer'>,
  actor: Actor,
  wanted: string,
): Promise<string> {
  for (let number = 1; number < MAX_NUMBER; number += 1) {
    const name = number === 1 ? wanted : `${wanted.slice(0, 59)}-${number}`;
    try {
      await getServer.named(actor, name);
    } catch (error) {
      if (isDomainError(error, 'server_not_found')) return name;
      throw error;
    }
  }
  return wanted;
}

/** A key that is there, by its id; one that has yet to be made; or null for the agent's. Throws `invalid_input`. */
async function chosenKey(
  { manageKeys, settings }: ServerNewDeps,
  choice: string,
  serverName: string,
): Promise<number | typeof SHARED | typeof OWN | null> {
  if (choice === AGENT && settings.hasSshAgent) return null;
  if (choice === SHARED) return (await manageKeys.findByName(SHARED_KEY))?.id ?? SHARED;
  if (choice === OWN) {
    if ((await manageKeys.findByName(serverName)) === null) return OWN;
    throw new InvalidInput([
      { path: '/ssh_key_id', message: `A key named ${serverName} already exists; choose it in the list.` },
    ]);
  }
  const key = (await manageKeys.list()).find(({ id }) => String(id) === choice);
  if (key) return key.id;
  throw new InvalidInput([{ path: '/ssh_key_id', message: 'Choose one of the keys.' }]);
}

/** Gives a server the key of that name, created if missing. */
export async function withNewKey(
  deps: Pick<ServerNewDeps, 'manageKeys' | 'editServer'>,
  actor: Actor,
  server: Server,
  name: string,
): Promise<Server> {
  const { id } = await makeKey(deps, actor, name);
  return deps.editServer.execute(actor, server.id, { sshKeyId: id });
}

async function makeKey(
  { manageKeys }: Pick<ServerNewDeps, 'manageKeys'>,
  actor: Actor,
  name: string,
): Promise<SshKey> {
  try {
    return await manageKeys.create(actor, name);
  } catch (error) {
    // Someone else was faster.
    const made = isDomainError(error, 'name_taken') ? await manageKeys.findByName(name) : null;
    if (made === null) throw error;
    return made;
  }
}

async function newPage(deps: ServerNewDeps, actor: Actor, state: FormState, status = 200): Promise<WebReply> {
  const keys = (await deps.manageKeys.list()).filter(({ name }) => name !== SHARED_KEY);
  return page(
    'servers',
    'Add a server',
    <div class="stack">
      <SetupCards at="address">
        <form method="post" action={PATH}>
          <FormFault state={state} />
          <HostField state={state} value="" focus />
          <Field
            state={state}
            name="name"
            label="Name"
            required={false}
            help="Empty: the address, or the host name that the server reports."
          />
          <TagsField state={state} />
          <details class="more" open={state.problems.some(({ path }) => ADVANCED.test(path))}>
            <summary>Advanced: port, account, sudo, jump host, key</summary>
            <LoginFields
              state={state}
              value={{ sshPort: 22, sshUsername: 'root', become: 'none', jump: '' }}
            />
            <Select
              state={state}
              name="key"
              path="/ssh_key_id"
              label="SSH key"
              value={SHARED}
              options={[
                { value: SHARED, label: `the shared key ("${SHARED_KEY}")` },
                { value: OWN, label: 'a new key for this server only' },
                ...keyOptions(keys, deps.settings.hasSshAgent),
              ]}
              help="Drover creates keys itself; private keys never leave the service."
            />
          </details>
          <p class="actions">
            <button type="submit">Continue</button>
            <span class="quiet">Drover does not sign in to the server yet. You can stop at any step.</span>
          </p>
        </form>
      </SetupCards>
      {controlOf(actor, null) === 'missing' ? null : (
        <p>
          <a href={`${PATH}?local=1`}>Add the machine that Drover runs on instead</a>
        </p>
      )}
    </div>,
    status,
  );
}

const TagsField = ({ state }: { readonly state: FormState }) => (
  <Field
    state={state}
    name="tags"
    label="Tags"
    required={false}
    help="Space-separated, such as web eu. Used in lists, schedules and windows."
  />
);

/**
 * The service's own machine needs neither address nor key. It is in the fleet from the first start on, unless a user
 * removes it.
 */
const localPage = (state: FormState, status = 200): WebReply =>
  page(
    'servers',
    'Add this machine',
    <form method="post" action={PATH} class="column">
      <p>Drover manages its own machine directly, with the account that it runs as.</p>
      <FormFault state={state} />
      <input type="hidden" name="connection" value="local" />
      <Field state={state} name="name" label="Name" focus help="For example drover." />
      <TagsField state={state} />
      <button type="submit">Continue</button>
    </form>,
    status,
  );
