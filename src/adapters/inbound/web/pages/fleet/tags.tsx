import type { ManageTags, TagUse } from '../../../../../application/fleet/manage-tags.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { formRoute, textOf } from '../../form-state.ts';
import { page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { mayOperate } from './remedy.tsx';

export interface TagDeps {
  readonly manageTags: Pick<ManageTags, 'list' | 'rename' | 'remove'>;
}

const PATH = '/settings/tags';
const editPath = (tag: string): string => `${PATH}/${encodeURIComponent(tag)}/edit`;

/** Tags over all servers: renaming, merging and removing them. */
export const tagRoutes = (deps: TagDeps): readonly WebRoute[] => [
  { method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => listPage(deps, visit) },
  {
    method: 'GET',
    path: `${PATH}/:tag/edit`,
    needs: 'operator',
    handle: (visit) => editPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${PATH}/:tag/edit`,
    async (visit) => {
      const tag = visit.params['tag'] ?? '';
      const servers = await deps.manageTags.rename(visit.visitor.actor, tag, textOf(visit.form, 'to'));
      return { ...redirect(PATH), toast: `Tag ${tag} renamed on ${count(servers, 'server')}` };
    },
    (visit, state) => editPage(deps, visit, state, 422),
    { needs: 'operator' },
  ),
  formRoute(
    `${PATH}/:tag/remove`,
    async (visit) => {
      const tag = visit.params['tag'] ?? '';
      const servers = await deps.manageTags.remove(visit.visitor.actor, tag);
      return { ...redirect(PATH), toast: `Tag ${tag} removed from ${count(servers, 'server')}` };
    },
    (visit, state) => editPage(deps, visit, state, 422),
    { needs: 'operator' },
  ),
];

async function listPage({ manageTags }: TagDeps, { visitor: { actor } }: SignedInVisit): Promise<WebReply> {
  const tags = await manageTags.list(actor);
  const reply = page(
    'settings',
    'Tags',
    <>
      <p class="help">
        Tags group servers in lists, schedules, batches, maintenance windows and patch policies.
      </p>
      <DataTable
        rows={tags}
        keyOf={({ tag }) => tag}
        empty={
          <Empty icon="tag">
            No server has a tag yet. Select some in <a href="/servers">Servers</a> to tag them.
          </Empty>
        }
        columns={[
          { head: 'Tag', cell: ({ tag }) => <a href={`/servers?${new URLSearchParams({ tag })}`}>{tag}</a> },
          { head: 'Servers', kind: 'number', cell: ({ servers }) => servers },
          {
            head: 'Schedules',
            kind: 'text',
            phone: 'label',
            cell: ({ schedules }) => schedules.join(', ') || 'none',
          },
          {
            head: 'Maintenance windows',
            kind: 'text',
            phone: 'label',
            cell: ({ windows }) => windows.join(', ') || 'none',
          },
          {
            head: 'Patch policies',
            kind: 'text',
            phone: 'label',
            cell: ({ policies }) => policies.join(', ') || 'none',
          },
          mayOperate(actor, 'all servers') && {
            head: 'Actions',
            kind: 'actions',
            cell: ({ tag }) => (
              <a class="button quiet small" href={editPath(tag)} aria-label={`Edit tag ${tag}`}>
                Edit
              </a>
            ),
          },
        ]}
      />
    </>,
  );
  return { ...reply, live: { all: true } };
}

async function editPage(
  { manageTags }: TagDeps,
  { visitor: { actor }, params }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const tag = params['tag'] ?? '';
  const use = (await manageTags.list(actor)).find((each) => each.tag === tag) ?? {
    tag,
    servers: 0,
    schedules: [],
    windows: [],
    policies: [],
  };
  return page(
    'settings',
    `Tag ${tag}`,
    <>
      <form method="post" action={editPath(tag)} class="column">
        <FormFault state={state} />
        <p>{usesOf(use)}</p>
        <Field
          state={state}
          name="to"
          label="New name"
          value={tag}
          help="Applies to all servers, schedules, maintenance windows and patch policies. The name of an existing tag merges the two."
          focus
        />
        <p class="actions">
          <button type="submit">Rename</button>
          <a href={PATH}>Cancel</a>
        </p>
      </form>
      <form method="post" action={`${PATH}/${encodeURIComponent(tag)}/remove`} class="column">
        <h2>Remove the tag</h2>
        {use.schedules.length + use.windows.length + use.policies.length === 0 ? (
          <>
            <p>{`Removes the tag from ${count(use.servers, 'server')}. The servers are kept.`}</p>
            <button type="submit" class="danger">
              Remove tag
            </button>
          </>
        ) : (
          <p>
            Schedules, maintenance windows or patch policies select servers by this tag. Change them first, or
            rename the tag.
          </p>
        )}
      </form>
    </>,
    status,
  );
}

const usesOf = ({ servers, schedules, windows, policies }: TagUse): string =>
  [
    `On ${count(servers, 'server')}`,
    schedules.length > 0 ? `in the schedules ${schedules.join(', ')}` : '',
    windows.length > 0 ? `in the maintenance windows ${windows.join(', ')}` : '',
    policies.length > 0 ? `in the patch policies ${policies.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join('; ')
    .concat('.');
