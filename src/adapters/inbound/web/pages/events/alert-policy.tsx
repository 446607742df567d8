import type { ManageAlerts } from '../../../../../application/events/manage-alerts.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { covers, type Role } from '../../../../../domain/access/role.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { type AlertPolicy, type Mute, muteNotFound } from '../../../../../domain/events/alert-policy.ts';
import { EVENT_TITLES, SEVERITIES } from '../../../../../domain/events/event.ts';
import { Card } from '../../components/card.tsx';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { FormFault, type FormState, NEW_FORM, Select } from '../../components/form.tsx';
import { By } from '../../components/origin.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import { Ago, At } from '../../components/time.tsx';
import { formRoute, idOf } from '../../form-state.ts';
import { done, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { Way } from '../fleet/remedy.tsx';
import { LIST_PATH } from './alert-actions.ts';
import { type Recipient, type RecipientDeps, recipientsFor, SentTo } from './alert-recipients.tsx';
import { Chosen, debounceOf, remindOf, SeverityPill, severityOf } from './alert-rule-fields.tsx';
import { KIND_WORDS } from './alert-table.tsx';
import { ALERTS_PATH, POLICY_PATH } from './alerts-paths.ts';
import { MUTE_PATH, MUTE_WORDS } from './notifications.tsx';

export interface PolicyDeps extends RecipientDeps {
  readonly manageAlerts: Pick<ManageAlerts, 'policies' | 'setPolicy' | 'mutes' | 'unmute'>;
  readonly listServers: Pick<ListServers, 'names'>;
}

/** Alert rules: severity, delay, reminders; and mutes. */
export const policyRoutes = (deps: PolicyDeps): readonly WebRoute[] => [
  { method: 'GET', path: POLICY_PATH, needs: 'viewer', handle: (visit) => policyPage(deps, visit) },
  {
    method: 'GET',
    path: `${POLICY_PATH}/:name`,
    needs: 'administrator',
    handle: (visit) => kindPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${POLICY_PATH}/:name`,
    async (visit) => {
      const { form, visitor, params } = visit;
      const severity = form.get('severity') ?? 'own';
      const known = SEVERITIES.find((each) => each === severity) ?? null;
      if (known === null && severity !== 'own')
        throw new InvalidInput([{ path: '/severity', message: 'Choose one of these severities.' }]);
      const { kind } = await deps.manageAlerts.setPolicy(visitor.actor, params['name'] ?? '', {
        debounceMs: spanOf(form, 'debounce') ?? 0,
        remindMs: spanOf(form, 'remind'),
        severity: known,
      });
      return done(POLICY_PATH, KIND_WORDS[kind]);
    },
    (visit, state) => kindPage(deps, visit, state, 422),
  ),
  {
    method: 'POST',
    path: `${ALERTS_PATH}/mutes/:id/remove`,
    needs: 'operator',
    handle: async ({ visitor, params, form }) => {
      const id = idOf(params['id']);
      if (id === null) throw muteNotFound(0);
      const kind =
        (await deps.manageAlerts.mutes(visitor.actor)).find((mute) => mute.id === id)?.kind ?? null;
      await deps.manageAlerts.unmute(visitor.actor, id);
      const back = form.get('back') === LIST_PATH ? LIST_PATH : POLICY_PATH;
      return done(back, kind === null ? 'all alerts' : KIND_WORDS[kind]);
    },
  },
];

/** Milliseconds; `null`: never. Throws `InvalidInput`. */
function spanOf(form: URLSearchParams, name: string): number | null {
  const raw = form.get(name) ?? '';
  if (raw === 'never') return null;
  if (/^\d{1,12}$/.test(raw)) return Number(raw);
  throw new InvalidInput([{ path: `/${name}`, message: 'Choose one of these times.' }]);
}

async function policyPage(deps: PolicyDeps, { visitor, now }: SignedInVisit): Promise<WebReply> {
  const { manageAlerts, listServers } = deps;
  const [policies, mutes] = await Promise.all([manageAlerts.policies(), manageAlerts.mutes(visitor.actor)]);
  const servers = await listServers.names(
    visitor.actor,
    mutes.flatMap(({ serverId }) => serverId ?? []),
  );
  const { role } = visitor.actor;
  const recipients = role === 'administrator' ? await recipientsFor(deps, visitor) : null;
  const reply = page(
    'settings',
    'Alert rules',
    <div class="stack">
      <PolicyTable policies={policies} recipients={recipients} role={role} />
      <Card title="Muted" flush>
        <MuteTable mutes={mutes} servers={servers} now={now} role={role} />
      </Card>
    </div>,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      sub: 'Drover notifies you of a problem, and reminds you until someone acknowledges it. Bold values are changed.',
      actions: (
        <a class="button quiet" href="/notifications">
          Open alerts
        </a>
      ),
    },
  };
}

const PolicyTable = ({
  policies,
  recipients,
  role,
}: {
  readonly policies: readonly AlertPolicy[];
  /** `null` if the user may not see them. */
  readonly recipients: readonly Recipient[] | null;
  readonly role: Role | null;
}) => (
  <DataTable
    rows={policies}
    keyOf={({ kind }) => kind}
    columns={[
      {
        head: 'Kind',
        kind: 'text',
        cell: ({ kind }) => (
          <>
            {role === 'administrator' ? (
              <a href={`${POLICY_PATH}/${kind}`}>{EVENT_TITLES[kind]}</a>
            ) : (
              EVENT_TITLES[kind]
            )}
            <span class="help desk">{KIND_WORDS[kind]}</span>
          </>
        ),
      },
      { head: 'Notify after', phone: 'label', cell: (policy) => <Chosen setting={debounceOf(policy)} /> },
      { head: 'Repeat every', phone: 'label', cell: (policy) => <Chosen setting={remindOf(policy)} /> },
      { head: 'Severity', kind: 'state', cell: (policy) => <SeverityPill policy={policy} /> },
      recipients !== null && {
        head: 'Sent to',
        kind: 'text',
        phone: 'hide',
        cell: (policy) => <SentTo policy={policy} recipients={recipients} />,
      },
      role === 'administrator' && {
        head: 'Actions',
        kind: 'actions',
        phone: 'hide',
        cell: ({ kind }) => (
          <RowActions about={EVENT_TITLES[kind]}>
            <Way to={`${POLICY_PATH}/${kind}`} label="Edit" about={EVENT_TITLES[kind]} />
          </RowActions>
        ),
      },
    ]}
  />
);

const MuteTable = ({
  mutes,
  servers,
  now,
  role,
}: {
  readonly mutes: readonly Mute[];
  readonly servers: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly role: Role | null;
}) => (
  <DataTable
    rows={mutes}
    keyOf={({ id }) => id}
    empty="Nothing is muted. To mute an alert, use the list of alerts."
    columns={[
      { head: 'Kind', cell: ({ kind }) => (kind === null ? 'all' : EVENT_TITLES[kind]) },
      {
        head: 'Server',
        phone: 'label',
        cell: ({ serverId: id }) =>
          id === null ? 'all' : <a href={`/servers/${id}`}>{servers.get(id) ?? `Server ${id}`}</a>,
      },
      {
        head: 'Until',
        phone: 'label',
        cell: ({ until }) => (until === null ? 'you remove the mute' : <At at={until} now={now} />),
      },
      {
        head: 'By',
        cell: ({ createdBy, createdAt }) => (
          <>
            <By label={createdBy} />, <Ago at={createdAt} now={now} />
          </>
        ),
      },
      covers(role, 'operator') && {
        head: 'Actions',
        kind: 'actions',
        cell: ({ id, kind }) => (
          <RowButton
            action={`${ALERTS_PATH}/mutes/${id}/remove`}
            label="Unmute"
            about={kind === null ? 'all' : EVENT_TITLES[kind]}
          />
        ),
      },
    ]}
  />
);

async function kindPage(
  { manageAlerts }: PolicyDeps,
  { params }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const policy = (await manageAlerts.policies()).find(({ kind }) => kind === params['name']);
  if (policy === undefined) return redirect(POLICY_PATH);
  const { kind } = policy;
  const reply = page(
    'settings',
    `Rule: ${EVENT_TITLES[kind]}`,
    <div class="stack">
      <form method="post" action={`${POLICY_PATH}/${kind}`} class="column">
        <FormFault state={state} />
        {[debounceOf(policy), remindOf(policy), severityOf(policy)].map((setting) => (
          <Select key={setting.name} state={state} {...setting} />
        ))}
        <p class="actions">
          <button type="submit">Save rule</button>
          <a href={POLICY_PATH}>Cancel</a>
        </p>
      </form>
      <Card title="Mute">
        <form method="post" action={MUTE_PATH} class="row">
          <input type="hidden" name="kind" value={kind} />
          <label for="for">Mute all alerts of this kind</label>
          <select id="for" name="for">
            {MUTE_WORDS.map(([span, words]) => (
              <option key={span} value={span}>
                {words}
              </option>
            ))}
          </select>
          <button type="submit" class="quiet">
            Mute
          </button>
        </form>
      </Card>
    </div>,
    status,
  );
  return { ...reply, header: { sub: KIND_WORDS[kind] } };
}
