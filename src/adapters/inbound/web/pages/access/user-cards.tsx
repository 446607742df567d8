import { hasSecondFactor, NO_ROLE, USER_ROLES, type User } from '../../../../../domain/access/user.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { capital } from '../../../../../domain/base/spans.ts';
import { Card } from '../../components/card.tsx';
import { RowButton } from '../../components/data-table.tsx';
import { Choices, NEW_FORM } from '../../components/form.tsx';
import { Ago } from '../../components/time.tsx';
import { ROLE_HELP } from './role-help.ts';

interface Props {
  readonly user: User;
  /** The address of the user's page. */
  readonly path: string;
}

/** Leads back to the user's page instead of the list. */
const BACK = { back: 'user' } as const;

export const RoleCard = ({ user, path }: Props) => (
  <Card title="Role on all servers">
    <form method="post" action={`${path}/role`}>
      <input type="hidden" name="back" value={BACK.back} />
      <Choices
        state={NEW_FORM}
        name="role"
        legend="Role"
        type="radio"
        cards
        chosen={[user.role ?? NO_ROLE]}
        choices={USER_ROLES.map((value) => ({ value, label: capital(value), help: ROLE_HELP[value] }))}
      />
      <button type="submit">Save role</button>
    </form>
  </Card>
);

export const SessionsCard = ({ user, path, now }: Props & { readonly now: Instant }) => (
  <Card title="Sessions">
    <p>
      Last sign-in: <Ago at={user.lastLoginAt} now={now} />. Two-factor authentication is{' '}
      {hasSecondFactor(user) ? 'on' : 'off'}.
    </p>
    <RowButton
      action={`${path}/end-sessions`}
      label="Sign out everywhere"
      icon="log-out"
      about={user.name}
      fields={BACK}
    />
  </Card>
);

export const DangerCard = ({ user, path }: Props) => (
  <Card title="Danger zone">
    <div class="row">
      {hasSecondFactor(user) ? (
        <RowButton
          action={`${path}/remove-totp`}
          label="Remove two-factor authentication"
          icon="smartphone"
          about={user.name}
          fields={BACK}
          danger
        />
      ) : null}
      {user.disabledAt === null ? (
        <RowButton
          action={`${path}/disable`}
          label="Disable user"
          icon="ban"
          about={user.name}
          fields={BACK}
          danger
        />
      ) : (
        <RowButton
          action={`${path}/enable`}
          label="Enable user"
          icon="check"
          about={user.name}
          fields={BACK}
        />
      )}
    </div>
  </Card>
);
