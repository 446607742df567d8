import type { ManageUsers } from '../../../../../application/access/manage-users.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { ROLES } from '../../../../../domain/access/role.ts';
import { hasSecondFactor, NO_ROLE, type User } from '../../../../../domain/access/user.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Card } from '../../components/card.tsx';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { Field, FormFault, type FormState, NEW_FORM, Select } from '../../components/form.tsx';
import { submit } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';

import { DangerCard, RoleCard, SessionsCard } from './user-cards.tsx';

export interface UserRolesDeps {
  readonly manageUsers: Pick<ManageUsers, 'get' | 'setTagRole'>;
  readonly listServers: Pick<ListServers, 'tags'>;
}

const PATH = '/settings/users/:name';
const MAX_TAGS = 100;

export const userPath = (name: string): string => `/settings/users/${encodeURIComponent(name)}`;

/** Has not set a password yet. */
export const isInvited = ({ disabledAt, issuer, hasPassword }: User): boolean =>
  disabledAt === null && issuer === null && !hasPassword;

/** A user's roles on the servers with a tag, and their way to sign in. */
export function userRoleRoutes(deps: UserRolesDeps): readonly WebRoute[] {
  const userOf = ({ visitor, params }: SignedInVisit): Promise<User> =>
    deps.manageUsers.get(visitor.actor, params['name'] ?? '');
  const change = async (visit: SignedInVisit, role: string | null): Promise<WebReply> => {
    const user = await userOf(visit);
    const tag = visit.form.get('tag') ?? '';
    const { switchedOff } = await deps.manageUsers.setTagRole(visit.visitor.actor, user, tag, role);
    const query = switchedOff.length === 0 ? '' : `?off=${switchedOff.length}`;
    return done(`${userPath(user.name)}${query}`, user.name);
  };
  const submitted = (visit: SignedInVisit, role: string | null): Promise<WebReply> =>
    submit(
      visit.form,
      () => change(visit, role),
      async (state) => userPage(deps, visit, await userOf(visit), state, 422),
    );
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'administrator',
      handle: async (visit) => userPage(deps, visit, await userOf(visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: `${PATH}/grant`,
      needs: 'administrator',
      confirm: true,
      handle: (visit) => submitted(visit, visit.form.get('role') ?? ''),
    },
    {
      method: 'POST',
      path: `${PATH}/revoke`,
      needs: 'administrator',
      confirm: true,
      handle: (visit) => submitted(visit, null),
    },
  ];
}

async function userPage(
  { listServers }: UserRolesDeps,
  { visitor, query, now }: SignedInVisit,
  user: User,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const path = userPath(user.name);
  const tags = await listServers.tags(visitor.actor, MAX_TAGS);
  const off = Number(query.get('off'));
  const reply = page(
    'settings',
    user.name,
    <div class="stack">
      {Number.isSafeInteger(off) && off > 0 ? (
        <p class="notice care">
          {count(off, 'schedule')} of {user.name} {off === 1 ? 'is' : 'are'} now off.
        </p>
      ) : null}
      <RoleCard user={user} path={path} />
      <Card title="Roles by tag" note="besides the role on all servers" flush>
        <DataTable
          rows={user.tagRoles}
          keyOf={({ tag }) => tag}
          empty="No roles by tag."
          columns={[
            { head: 'Servers with the tag', cell: ({ tag }) => tag },
            { head: 'Role', phone: 'label', cell: ({ role }) => role },
            {
              head: 'Actions',
              kind: 'actions',
              cell: ({ tag }) => (
                <RowButton action={`${path}/revoke`} label="Remove" about={tag} fields={{ tag }} danger />
              ),
            },
          ]}
        />
      </Card>
      <Card title="Add a role">
        <form method="post" action={`${path}/grant`} class="column">
          <FormFault state={state} />
          <Field
            state={state}
            name="tag"
            label="Tag"
            help={`The role applies to all servers that have the tag, also later ones.${tagsText(tags.map(({ tag }) => tag))}`}
          />
          <Select
            state={state}
            name="role"
            label="Role"
            value="viewer"
            options={ROLES.map((role) => ({ value: role, label: role }))}
          />
          <button type="submit" class="quiet">
            Add role
          </button>
        </form>
      </Card>
      <SessionsCard user={user} path={path} now={now} />
      <SignInCard user={user} />
      <DangerCard user={user} path={path} />
    </div>,
    status,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      status: <span class="tag">{user.role ?? NO_ROLE}</span>,
      sub:
        user.role === null
          ? 'No role on all servers: the user sees only servers with one of the tags below.'
          : `Role on all servers: ${user.role}`,
      actions: (
        <a class="button quiet" href="/settings/users">
          All users
        </a>
      ),
    },
  };
}

function SignInCard({ user }: { readonly user: User }) {
  const [title, help, button] = isInvited(user)
    ? [
        'Invitation',
        'The new link replaces the earlier one, and is valid for one day.',
        'Create new invitation',
      ]
    : [
        'Reset sign-in',
        `Creates a link with which ${user.name} sets a new password and is signed out everywhere.${user.hasPassword ? ' Until then, the current password stays valid.' : ''}${hasSecondFactor(user) ? ' Two-factor authentication stays on.' : ''}`,
        'Create link',
      ];
  return (
    <Card title={title} id="sign-in">
      <p>{help}</p>
      <form method="post" action={`${userPath(user.name)}/link`}>
        <button type="submit" class="quiet">
          {button}
        </button>
      </form>
    </Card>
  );
}

const tagsText = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : ` Tags of servers: ${tags.join(', ')}.`;
