import { Readable } from 'node:stream';
import type { ListTokens } from '../../../../../application/access/manage-tokens.ts';
import type { ManageUsers } from '../../../../../application/access/manage-users.ts';
import type { ListAudit } from '../../../../../application/events/list-audit.ts';
import type { RecordReads } from '../../../../../application/events/record-reads.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { type InputProblem, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { DAY, toIso } from '../../../../../domain/base/instant.ts';
import { count, grouped } from '../../../../../domain/base/spans.ts';
import { type AuditFilter, MAX_SEARCHED } from '../../../../../domain/events/audit-entry.ts';
import { EXPORT_FORMATS, exported } from '../../../api/audit-export.ts';
import { FilterBar, FilterChoice, FilterField } from '../../components/filter-bar.tsx';
import { FormFault, type FormState } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { Options } from '../../components/options.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { dayOf } from '../../form-state.ts';
import { done, fileReply, page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { serverNamed } from '../../server-names.ts';
import { AuditRows } from './audit-rows.tsx';
import { actionTitle, serverIdsIn } from './audit-words.ts';

export interface AuditDeps {
  readonly listAudit: Pick<ListAudit, 'execute' | 'export'>;
  readonly listServers: Pick<ListServers, 'execute' | 'names'>;
  readonly recordReads: Pick<RecordReads, 'get' | 'set'>;
  readonly manageUsers: Pick<ManageUsers, 'list'>;
  readonly listTokens: Pick<ListTokens, 'execute'>;
}

const PATH = '/audit';
const READS = `${PATH}/reads`;
const ROWS = 30;
const MAX_TEXT = 100;
/** Users and tokens that are offered; others are typed. */
const NAMED = { limit: 200, offset: 0 };
/** What actions are about: the first part of their names. */
const SUBJECTS = [
  ['job', 'Jobs'],
  ['batch', 'Batches'],
  ['approval', 'Approvals'],
  ['server', 'Servers'],
  ['source', 'Backup sources'],
  ['snapshot', 'Snapshots'],
  ['repository', 'Repositories'],
  ['schedule', 'Schedules'],
  ['window', 'Maintenance windows'],
  ['template', 'Templates'],
  ['file', 'Files'],
  ['session', 'Sign-ins'],
  ['user', 'Users'],
  ['token', 'API tokens'],
  ['key', 'SSH keys'],
  ['notification', 'Alerts'],
  ['channel', 'Channels'],
  ['webhook', 'Webhooks'],
  ['settings', 'Settings'],
  ['audit', 'Audit log'],
] as const;

/** The audit log. */
export const auditRoutes = (deps: AuditDeps): readonly WebRoute[] => [
  ...listRoutes(PATH, 'administrator', (visit) => listPage(deps, visit)),
  {
    method: 'POST',
    path: READS,
    needs: 'administrator',
    confirm: true,
    handle: async ({ visitor, form }) => {
      const on = form.get('reads') === 'on';
      await deps.recordReads.set(visitor.actor, on);
      return done(PATH, on ? 'on' : 'off');
    },
  },
  {
    method: 'GET',
    path: `${PATH}/export`,
    needs: 'administrator',
    handle: async ({ visitor: { actor }, query, now }) => {
      const format = EXPORT_FORMATS.find((each) => each === query.get('format')) ?? 'csv';
      const entries = await deps.listAudit.export(actor, await filterOf(deps, actor, query));
      return fileReply({
        name: `drover-audit-${toIso(now).slice(0, 10)}.${format}`,
        size: null,
        sha256: null,
        content: Readable.from(exported(entries, format)),
      });
    },
  },
];

const FIELDS = ['q', 'actor', 'action', 'server', 'outcome', 'from', 'until'] as const;

/** Throws `invalid_input` with every fault named. */
async function filterOf(
  { listServers }: AuditDeps,
  actor: Actor,
  query: URLSearchParams,
): Promise<AuditFilter> {
  const problems: InputProblem[] = [];
  const given = (name: (typeof FIELDS)[number]): string => (query.get(name) ?? '').trim();
  const [from, until] = [dayOf(query, 'from', problems), dayOf(query, 'until', problems)];
  const server = given('server');
  const serverId = server === '' ? undefined : await serverNamed(listServers, actor, server);
  if (serverId === null)
    problems.push({
      path: '/server',
      message: 'There is no such server. Enter its name, or the ID of a removed one.',
    });
  const outcome = (['done', 'refused'] as const).find((each) => each === given('outcome'));
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    ...(given('q') === '' ? {} : { text: given('q').slice(0, MAX_TEXT) }),
    ...(given('actor') === '' ? {} : { actorName: given('actor') }),
    ...(given('action') === '' ? {} : { action: given('action') }),
    ...(serverId ? { serverId } : {}),
    ...(outcome === undefined ? {} : { outcome }),
    ...(from === null ? {} : { from }),
    // The last day is included.
    ...(until === null ? {} : { until: until + DAY }),
  };
}

async function listPage(deps: AuditDeps, { visitor, query, now }: SignedInVisit) {
  const { listAudit, listServers } = deps;
  const state: FormState = { typed: query, problems: [], fault: null };
  const people = await deps.manageUsers.list(visitor.actor, NAMED);
  const tokens = await deps.listTokens.execute(visitor.actor, NAMED);
  const who = [...new Set([...people.items, ...tokens.items].map(({ name }) => name))];
  try {
    const found = await listAudit.execute(visitor.actor, await filterOf(deps, visitor.actor, query), {
      limit: ROWS,
      offset: offsetOf(query),
    });
    const list = (
      <>
        <AuditRows
          entries={found.items}
          now={now}
          servers={await listServers.names(visitor.actor, serverIdsIn(found.items))}
          users={new Map(people.items.map(({ id, name }) => [`user:${id}`, name]))}
          nothing="No entry matches."
          paging={{ found, path: PATH, query }}
        />
        {query.get('q') ? (
          <p class="quiet">The search reads the newest {grouped(MAX_SEARCHED)} entries.</p>
        ) : null}
        <ReadsForm on={await deps.recordReads.get(visitor.actor)} />
      </>
    );
    return {
      ...page('settings', 'Audit log', <Filter state={state} who={who} />),
      header: {
        sub: (
          <>
            {count(found.total, 'entry', 'entries')}, signed and chained: <code>drover audit verify</code>{' '}
            finds changed and missing ones.
          </>
        ),
        actions: EXPORT_FORMATS.map((format) => (
          <a key={format} href={`${PATH}/export?${exportQuery(query, format)}`} class="button quiet">
            <Icon name="download" /> {format === 'csv' ? 'CSV' : 'JSON Lines'}
          </a>
        )),
      },
      list,
    };
  } catch (error) {
    if (!isDomainError(error, 'invalid_input')) throw error;
    const wrong = { ...state, problems: error.problems };
    return { ...page('settings', 'Audit log', <Filter state={wrong} who={who} />, 422), list: null };
  }
}

/** Also records who opened what. */
const ReadsForm = ({ on }: { readonly on: boolean }) => (
  <form method="post" action={READS} class="card reads">
    <span class="quiet">
      {on
        ? 'Reads are recorded: which pages, files, jobs and snapshots of a server users and tokens opened.'
        : 'Reads are not recorded, except downloads of files and snapshots.'}
    </span>
    <button type="submit" name="reads" value={on ? 'off' : 'on'} class="quiet small">
      {on ? 'Stop recording reads' : 'Record reads'}
    </button>
  </form>
);

function exportQuery(query: URLSearchParams, format: string): string {
  const kept = new URLSearchParams({ format });
  for (const name of FIELDS) if (query.get(name)) kept.set(name, query.get(name) ?? '');
  return kept.toString();
}

const Filter = ({ state, who }: { readonly state: FormState; readonly who: readonly string[] }) => {
  const query = state.typed;
  const field = { query, state };
  const action = query.get('action') ?? '';
  const known = SUBJECTS.some(([value]) => value === action) || action === '';
  return (
    <>
      <FormFault state={state} />
      <FilterBar
        path={PATH}
        query={query}
        search={{ name: 'q', label: 'Search the log', placeholder: 'User, action or object' }}
        chips={{
          name: 'outcome',
          options: [
            { value: '', label: 'All' },
            { value: 'done', label: 'Done' },
            { value: 'refused', label: 'Refused' },
          ],
        }}
        more={{
          names: ['actor', 'action', 'server', 'from', 'until'],
          isWrong: state.problems.length > 0,
          fields: (
            <>
              <FilterField {...field} name="actor" label="User or token" list="actors" />
              <Options id="actors" values={who} />
              <FilterChoice
                query={query}
                name="action"
                label="About"
                options={[
                  ...SUBJECTS.map(([value, label]) => ({ value, label })),
                  ...(known ? [] : [{ value: action, label: actionTitle(action) }]),
                ]}
              />
              <FilterField {...field} name="server" label="Server" />
              <FilterField {...field} name="from" label="From" type="date" />
              <FilterField {...field} name="until" label="Until" type="date" />
            </>
          ),
        }}
      />
    </>
  );
};
