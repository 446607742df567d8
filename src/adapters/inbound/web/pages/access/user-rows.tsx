import { hasSecondFactor, NO_ROLE, USER_ROLES, type User } from '../../../../../domain/access/user.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { UserOrder } from '../../../../../domain/base/list-orders.ts';
import { DataTable, RowButton, type TablePaging } from '../../components/data-table.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Way } from '../fleet/remedy.tsx';
import { ROLE_HELP } from './role-help.ts';
import { isInvited, userPath } from './user.tsx';

interface UserTableProps {
  readonly users: readonly User[];
  /** The id of the user who looks at them. */
  readonly me: number;
  readonly now: Instant;
  readonly sort: Sorting<UserOrder['by']>['sort'];
  readonly paging: TablePaging;
}

/** Users with what can be done with each. */
export const UserTable = ({ users, me, now, sort, paging }: UserTableProps) => (
  <DataTable
    rows={users}
    keyOf={({ id }) => id}
    paging={paging}
    columns={[
      { head: 'Name', sort: sort('name'), cell: ({ id, name }) => <Person name={name} isMe={id === me} /> },
      {
        head: 'Role',
        sort: sort('role'),
        cell: (user) => <RolesOf user={user} />,
      },
      { head: 'State', kind: 'state', cell: (user) => <UserState user={user} /> },
      { head: 'Two-factor', phone: 'label', cell: (user) => <TwoFactor user={user} /> },
      {
        head: 'Last sign-in',
        sort: sort('last_sign_in'),
        phone: 'label',
        cell: ({ lastLoginAt }) => <Ago at={lastLoginAt} now={now} />,
      },
      { head: 'Actions', kind: 'actions', cell: (user) => <UserActions user={user} /> },
    ]}
  />
);

/** The role on all servers, unless there are only roles by tag; then those. */
const RolesOf = ({ user: { role, tagRoles } }: { readonly user: User }) => (
  <span class="row">
    {role === null && tagRoles.length > 0 ? null : (
      <span title={ROLE_HELP[role ?? NO_ROLE]}>{role ?? NO_ROLE}</span>
    )}
    {tagRoles.map((each) => (
      <span key={each.tag} class="tag" title={`On servers with the tag ${each.tag}. ${ROLE_HELP[each.role]}`}>
        {each.role} on {each.tag}
      </span>
    ))}
  </span>
);

const Person = ({ name, isMe }: { readonly name: string; readonly isMe: boolean }) => (
  <span class="person">
    <span class="avatar" aria-hidden="true">
      {name.slice(0, 2).toUpperCase()}
    </span>
    <a href={userPath(name)}>{name}</a>
    {isMe ? <span class="tag">you</span> : null}
  </span>
);

/** A provider asks for its own. */
const TwoFactor = ({ user }: { readonly user: User }) => {
  if (hasSecondFactor(user)) return <>on</>;
  return user.role === 'administrator' && user.issuer === null ? <Status tone="care">off</Status> : <>off</>;
};

function UserState({ user }: { readonly user: User }) {
  if (user.disabledAt !== null) return <Status tone="off">disabled</Status>;
  if (user.issuer !== null) return <Status tone="good">active, single sign-on</Status>;
  return isInvited(user) ? <Status tone="wait">invited</Status> : <Status tone="good">active</Status>;
}

function UserActions({ user }: { readonly user: User }) {
  const at = userPath(user.name);
  return (
    <RowActions about={user.name} buttons={isInvited(user) ? 1 : 0}>
      {isInvited(user) ? (
        <RowButton action={`${at}/link`} label="Copy new invitation" icon="mail" about={user.name} />
      ) : (
        <Way to={`${at}#sign-in`} label="Reset sign-in…" icon="key-round" about={user.name} />
      )}
      {USER_ROLES.filter((role) => role !== (user.role ?? NO_ROLE)).map((role) => (
        <RowButton
          key={role}
          action={`${at}/role`}
          label={role === NO_ROLE ? 'Limit to roles by tag' : `Make ${role}`}
          icon={role === NO_ROLE ? 'tag' : 'user'}
          about={user.name}
          fields={{ role }}
        />
      ))}
      <RowButton action={`${at}/end-sessions`} label="Sign out everywhere" icon="log-out" about={user.name} />
      {hasSecondFactor(user) ? (
        <RowButton
          action={`${at}/remove-totp`}
          label="Remove two-factor authentication"
          icon="smartphone"
          about={user.name}
          danger
        />
      ) : null}
      {user.disabledAt === null ? (
        <RowButton action={`${at}/disable`} label="Disable" icon="ban" about={user.name} danger />
      ) : (
        <RowButton action={`${at}/enable`} label="Enable" icon="check" about={user.name} />
      )}
    </RowActions>
  );
}
