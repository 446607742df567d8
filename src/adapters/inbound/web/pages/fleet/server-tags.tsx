import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { EditServer } from '../../../../../application/fleet/register-server.ts';
import { InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { formRoute, listOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { selectedServers } from '../../server-names.ts';

export interface ServerTagDeps {
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly editServer: Pick<EditServer, 'execute'>;
}

const PATH = '/tags';
/** Each server gets its own entry in the audit log. */
const MAX_SERVERS = 500;

/** Adds tags to the selected servers, and removes others. */
export const serverTagRoutes = (deps: ServerTagDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATH,
    needs: 'operator',
    handle: (visit) => tagsPage(deps, visit, NEW_FORM),
  },
  formRoute(
    PATH,
    async (visit) => {
      await change(deps, visit);
      return done('/servers', count(idsIn(visit.form).length, 'server'));
    },
    (visit, state) => tagsPage(deps, visit, state, 422),
    { needs: 'operator' },
  ),
];

async function change({ getServer, editServer }: ServerTagDeps, { visitor: { actor }, form }: SignedInVisit) {
  const [add, remove] = [listOf(form, 'add'), listOf(form, 'remove')];
  if (add.length + remove.length === 0) {
    throw new InvalidInput([{ path: '/add', message: 'Enter a tag to add or to remove.' }]);
  }
  for (const id of idsIn(form)) {
    const { tags } = await getServer.execute(actor, id);
    const after = [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag));
    if (after.join(' ') !== tags.join(' ')) {
      await editServer.execute(actor, id, { tags: after }).catch(blameAdded);
    }
  }
}

/** Only tags that are added can be wrong. */
function blameAdded(error: unknown): never {
  if (!isDomainError(error, 'invalid_input')) throw error;
  throw new InvalidInput(error.problems.map(({ message }) => ({ path: '/add', message })));
}

const idsIn = (form: URLSearchParams): readonly number[] =>
  form
    .getAll('ids')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);

async function tagsPage(
  deps: ServerTagDeps,
  { visitor: { actor }, query, form }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const selected = form.has('ids') ? idsIn(form) : await selectedServers(deps.listServers, actor, query);
  const ids = selected.slice(0, MAX_SERVERS);
  return page(
    'servers',
    `Tags of ${count(ids.length, 'server')}`,
    ids.length === 0 ? (
      <p>
        No server is selected. <a href="/servers">Select some</a>
      </p>
    ) : (
      <form method="post" action={PATH} class="column">
        <FormFault state={state} />
        {selected.length > MAX_SERVERS ? (
          <p class="notice care">{`This changes only the first ${MAX_SERVERS} of ${selected.length} servers.`}</p>
        ) : null}
        {ids.map((id) => (
          <input key={id} type="hidden" name="ids" value={id} />
        ))}
        <Field
          state={state}
          name="add"
          label="Add tags"
          required={false}
          help="Separated by spaces or commas, such as web eu."
          focus
        />
        <Field state={state} name="remove" label="Remove tags" required={false} />
        <p class="actions">
          <button type="submit">{`Change ${count(ids.length, 'server')}`}</button>
          <a href="/servers">Cancel</a>
        </p>
      </form>
    ),
    status,
  );
}
