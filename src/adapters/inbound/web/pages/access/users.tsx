import type { OfferedLink } from '../../../../../application/access/account-links.ts';
import type { ManageUsers } from '../../../../../application/access/manage-users.ts';
import type { TwoFactorPolicy } from '../../../../../application/access/two-factor-policy.ts';
import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import type { ChangedUser } from '../../../../../application/automation/switched-off-schedules.ts';
import type { ApprovalRules } from '../../../../../application/jobs/approval-rules.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { hasSecondFactor, USER_ROLES, type User } from '../../../../../domain/access/user.ts';
import { MAX_SCHEDULES, type Schedule } from '../../../../../domain/automation/schedule.ts';
import { USER_ORDERS } from '../../../../../domain/base/list-orders.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import { AddLink } from '../../components/add-link.tsx';
import { Card } from '../../components/card.tsx';
import { Fold } from '../../components/fold.tsx';
import { Choices, Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { On } from '../../components/time.tsx';
import { blaming, formRoute } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { SwitchedOff } from '../automation/schedule-table.tsx';
import { ApprovalRuleForm, approvalRuleOf, approvalWords } from './approval-rule-form.tsx';
import { ROLE_HELP } from './role-help.ts';
import { TWO_FACTOR_LABELS, TwoFactorForm } from './two-factor-form.tsx';
import { userPath } from './user.tsx';
import { UserTable } from './user-rows.tsx';

export interface UserDeps {
  readonly manageUsers: Pick<
    ManageUsers,
    | 'list'
    | 'get'
    | 'invite'
    | 'offerLink'
    | 'setRole'
    | 'disable'
    | 'enable'
    | 'endSessions'
    | 'removeSecondFactor'
  >;
  readonly twoFactorPolicy: Pick<TwoFactorPolicy, 'get' | 'set'>;
  readonly approvalRules: Pick<ApprovalRules, 'get' | 'set'>;
  readonly listSchedules: Pick<ListSchedules, 'execute'>;
  readonly settings: { readonly publicUrl: string | null };
}

const PATH = '/settings/users';
const TWO_FACTOR = `${PATH}/two-factor`;
const APPROVALS = `${PATH}/approvals`;
const ROWS = 50;

/** Users and their roles. */
export function userRoutes(deps: UserDeps): readonly WebRoute[] {
  const { manageUsers } = deps;
  const change =
    (work: (visit: SignedInVisit, user: User) => Promise<User | ChangedUser>) =>
    async (visit: SignedInVisit): Promise<WebReply> => {
      const user = await manageUsers.get(visit.visitor.actor, visit.params['name'] ?? '');
      const changed = await work(visit, user);
      const off = 'switchedOff' in changed ? changed.switchedOff.length : 0;
      if (visit.form.get('back') === 'user')
        return done(`${userPath(user.name)}${off === 0 ? '' : `?off=${off}`}`, user.name);
      return done(off === 0 ? PATH : `${PATH}?${new URLSearchParams({ changed: user.name })}`, user.name);
    };
  const action = (name: string, handle: (visit: SignedInVisit) => Promise<WebReply>): WebRoute => ({
    method: 'POST',
    path: `${PATH}/:name/${name}`,
    needs: 'administrator',
    confirm: true,
    handle,
  });
  return [
    { method: 'GET', path: PATH, needs: 'administrator', handle: (visit) => listPage(deps, visit) },
    formRoute(
      PATH,
      async (visit) => {
        const asked = { name: visit.form.get('name') ?? '', role: visit.form.get('role') ?? '' };
        const { user, link } = await blaming({ name_taken: '/name' }, () =>
          manageUsers.invite(visit.visitor.actor, asked),
        );
        return linkPage(user, link, deps.settings.publicUrl ?? visit.origin);
      },
      (visit, state) => listPage(deps, visit, { invite: state }, 422),
      { confirm: true },
    ),
    formRoute(
      TWO_FACTOR,
      async (visit) => {
        const required = visit.form.get('two_factor') ?? '';
        await deps.twoFactorPolicy.set(visit.visitor.actor, required);
        return done(PATH, required);
      },
      (visit, state) => listPage(deps, visit, { twoFactor: state }, 422),
      { confirm: true },
    ),
    formRoute(
      APPROVALS,
      async (visit) => {
        await deps.approvalRules.set(visit.visitor.actor, approvalRuleOf(visit.form));
        return done(PATH, 'approvals');
      },
      (visit, state) => listPage(deps, visit, { approvals: state }, 422),
      { confirm: true },
    ),
    action('link', async ({ visitor, params, origin }) => {
      const user = await manageUsers.get(visitor.actor, params['name'] ?? '');
      const link = await manageUsers.offerLink(visitor.actor, user);
      return linkPage(user, link, deps.settings.publicUrl ?? origin);
    }),
    action(
      'role',
      change(({ visitor, form }, user) => manageUsers.setRole(visitor.actor, user, form.get('role') ?? '')),
    ),
    action(
      'disable',
      change(({ visitor }, user) => manageUsers.disable(visitor.actor, user)),
    ),
    action(
      'enable',
      change(({ visitor }, user) => manageUsers.enable(visitor.actor, user)),
    ),
    action(
      'end-sessions',
      change(({ visitor }, user) => manageUsers.endSessions(visitor.actor, user)),
    ),
    action(
      'remove-totp',
      change(({ visitor }, user) => manageUsers.removeSecondFactor(visitor.actor, user)),
    ),
  ];
}

/** Shown in the response itself: its secret is in no address. */
const linkPage = (user: User, link: OfferedLink, origin: string): WebReply =>
  page(
    'settings',
    `Link for ${user.name}`,
    <>
      <section class="notice good">
        <p>
          Send this to {user.name} over a channel that no one else can read. It works once, until{' '}
          <On at={link.expiresAt} otherwise="" />, and is shown only once.
        </p>
        <div class="copyable">
          <pre id="link">{`${origin}/welcome#${link.secret}`}</pre>
          <button type="button" data-copy="link" hidden>
            Copy
          </button>
        </div>
      </section>
      <p>
        <a href={PATH}>Back to users</a>
      </p>
    </>,
  );

async function listPage(
  { manageUsers, listSchedules, twoFactorPolicy, approvalRules }: UserDeps,
  { visitor, query, now }: SignedInVisit,
  {
    invite = NEW_FORM,
    twoFactor = NEW_FORM,
    approvals = NEW_FORM,
  }: Readonly<Partial<Record<'invite' | 'twoFactor' | 'approvals', FormState>>> = {},
  status = 200,
): Promise<WebReply> {
  const changed = query.get('changed');
  const off =
    changed === null ? [] : await switchedOffOf({ manageUsers, listSchedules }, visitor.actor, changed);
  const usual = { by: 'name', descending: false } as const;
  const { order, sort } = sortingOf({
    path: PATH,
    query,
    keys: USER_ORDERS,
    usual,
    largestFirst: ['last_sign_in'],
  });
  const found = await manageUsers.list(visitor.actor, { limit: ROWS, offset: offsetOf(query) }, order);
  const invites = invite !== NEW_FORM || query.has('invite');
  const rule = await twoFactorPolicy.get(visitor.actor);
  const approvalRule = await approvalRules.get(visitor.actor);
  return {
    ...page(
      'settings',
      'Users',
      <div class="stack">
        <SwitchedOff schedules={off} />
        {invites ? <Invitation state={invite} /> : null}
        <UserTable
          users={found.items}
          me={visitor.user.id}
          now={now}
          sort={sort}
          paging={{ found, path: PATH, query }}
        />
        <Fold
          title="Two-factor authentication"
          note={`required for: ${TWO_FACTOR_LABELS[rule].toLowerCase()}`}
          open={twoFactor !== NEW_FORM}
        >
          <TwoFactorForm action={TWO_FACTOR} rule={rule} state={twoFactor} />
        </Fold>
        <Fold title="Approvals" note={approvalWords(approvalRule)} open={approvals !== NEW_FORM}>
          <ApprovalRuleForm action={APPROVALS} rule={approvalRule} state={approvals} />
        </Fold>
      </div>,
      status,
    ),
    live: { all: true },
    header: {
      sub: found.total > found.items.length ? count(found.total, 'user') : summaryOf(found.items),
      actions: invites ? null : <AddLink href={`${PATH}?invite=yes#invite`}>Invite user</AddLink>,
    },
  };
}

const Invitation = ({ state }: { readonly state: FormState }) => (
  <Card title="Invite a user" id="invite">
    <form method="post" action={PATH}>
      <FormFault state={state} />
      <Field state={state} name="name" label="Name" help="Used to sign in." />
      <Choices
        state={state}
        name="role"
        legend="Role on all servers"
        type="radio"
        cards
        chosen={['viewer']}
        choices={USER_ROLES.map((value) => ({ value, label: capital(value), help: ROLE_HELP[value] }))}
      />
      <p class="actions">
        <button type="submit">Create link</button>
        <a href={PATH}>Cancel</a>
      </p>
    </form>
  </Card>
);

/** Such as `4 users · 2 administrators · 1 has two-factor authentication`. */
function summaryOf(users: readonly User[]): string {
  const administrators = users.filter(({ role }) => role === 'administrator').length;
  const secured = users.filter(hasSecondFactor).length;
  return [
    count(users.length, 'user'),
    count(administrators, 'administrator'),
    secured === 0 ? 'none with two-factor authentication' : `${secured} with two-factor authentication`,
  ].join(' · ');
}

/** Throws `user_not_found`. */
async function switchedOffOf(
  { manageUsers, listSchedules }: Pick<UserDeps, 'manageUsers' | 'listSchedules'>,
  actor: Actor,
  name: string,
): Promise<readonly Schedule[]> {
  const { id } = await manageUsers.get(actor, name);
  const all = { limit: MAX_SCHEDULES, offset: 0 };
  const { items } = await listSchedules.execute(actor, all, { owner: { kind: 'user', id } });
  return items.map(({ schedule }) => schedule).filter(({ offReason }) => offReason !== null);
}
