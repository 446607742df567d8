import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { staleBefore } from '../../../../../domain/fleet/fleet-conditions.ts';
import {
  type FleetNeeds,
  SERVER_NEEDS,
  SERVER_ORDERS,
  type ServerNeed,
  type TagCount,
} from '../../../../../domain/fleet/server-list.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { Empty, NoMatch } from '../../components/empty.tsx';
import { FilterBar, FilterChoice } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-names.ts';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { serverSearchOf } from '../../server-names.ts';
import { mayOperate } from './remedy.tsx';
import { serverExport } from './server-export.ts';
import { ServerTable } from './server-table.tsx';

export interface ServerListDeps {
  readonly listServers: Pick<ListServers, 'counts' | 'execute' | 'tags'>;
  readonly settings: { readonly backupStaleHours: number };
}

const PATH = '/servers';
const ROWS = 36;
/** Tags to choose from: the most frequent. A search finds the others, too. */
const MAX_TAGS = 50;
const BULK = 'bulk-servers';

/** The gravest first. */
const NEEDS: readonly (readonly [ServerNeed, string])[] = [
  ['unreachable', 'Unreachable'],
  ['critical_alert', 'Critical'],
  ['stale_backup', 'Backup'],
  ['disk_full', 'Low disk'],
  ['security_updates', 'Security'],
  ['alert', 'Alert'],
  ['reboot', 'Reboot'],
  ['os_updates', 'Updates'],
  ['container_updates', 'New images'],
  ['updates_unknown', 'Updates unknown'],
  ['unchecked', 'Setup not finished'],
  ['no_backup', 'No backup yet'],
];

const SUPPORT_OPTIONS = [
  { value: 'ended', label: 'Ended' },
  { value: 'ending', label: 'Ends within 90 days' },
] as const;

/** The fleet as a list. */
export const serverListRoutes = (deps: ServerListDeps): readonly WebRoute[] => [
  ...listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit)),
  {
    method: 'GET',
    path: `${PATH}/export`,
    needs: 'viewer',
    handle: async (visit) =>
      serverExport(deps.listServers, visit, staleBefore(visit.now, deps.settings.backupStaleHours)),
  },
];

async function listPage({ listServers, settings }: ServerListDeps, { visitor, query, now }: SignedInVisit) {
  const { actor } = visitor;
  const search = serverSearchOf(query);
  const { q, tag } = search;
  const usual = { by: 'status', descending: true } as const;
  const sorting = sortingOf({
    path: PATH,
    query,
    keys: SERVER_ORDERS,
    usual,
    largestFirst: ['updates', 'disk', 'status'],
  });
  const { order } = sorting;
  const [found, tags, counts, whole] = await Promise.all([
    listServers.execute(actor, { ...search, order, limit: ROWS, offset: offsetOf(query) }),
    listServers.tags(actor, MAX_TAGS),
    listServers.counts(actor, { q, tag }),
    q + tag === '' ? null : listServers.counts(actor, {}),
  ]);
  const mayAct = mayOperate(actor, 'any server');
  const filtered = q !== '' || tag !== '' || search.need !== undefined || search.support !== undefined;
  return {
    ...page(
      'servers',
      'Servers',
      <FilterBar
        path={PATH}
        query={query}
        search={{ name: 'q', label: 'Search servers', placeholder: 'Name, address or tag' }}
        keep={['sort']}
        chips={{
          name: 'needs',
          known: SERVER_NEEDS,
          options: [
            { value: '', label: 'All', count: counts.servers },
            ...NEEDS.map(([value, label]) => ({
              value,
              label,
              count: counts.needs[value],
              stays: whole !== null && whole.needs[value] > 0,
            })),
          ],
        }}
        more={{
          names: ['tag', 'support'],
          fields: (
            <>
              <TagChoice query={query} tags={tags} />
              <FilterChoice query={query} name="support" label="System support" options={SUPPORT_OPTIONS} />
            </>
          ),
        }}
      />,
    ),
    header: {
      sub: <Summary {...counts} />,
      actions: (
        <div class="row">
          <a class="button quiet desk" href={`${PATH}/export?${query}`}>
            <Icon name="download" /> Export
          </a>
          {mayAct ? (
            <a class="button" href="/servers/new">
              <Icon name="plus" />
              Add a server
            </a>
          ) : null}
        </div>
      ),
    },
    list: (
      <>
        <ServerTable
          servers={found.items}
          onlooker={{ now, mayAct, staleBefore: staleBefore(now, settings.backupStaleHours) }}
          sorting={sorting}
          paging={{ found, path: PATH, query }}
          select={mayAct ? { form: BULK, label: ({ name }) => name } : undefined}
          empty={<Nothing filtered={filtered} mayAct={mayAct} />}
        />
        {mayAct ? (
          <BulkBar
            id={BULK}
            method="get"
            action="/batches/new"
            noun="servers"
            total={found.total}
            filter={{ q, tag, needs: search.need ?? '' }}
          >
            {BULK_JOBS.map(([type, icon, label]) => (
              <button key={type} type="submit" name="type" value={type}>
                <Icon name={icon} />
                {label}
              </button>
            ))}
            <button type="submit" formaction="/tags">
              <Icon name="tag" />
              Tags…
            </button>
          </BulkBar>
        ) : null}
      </>
    ),
  };
}

/** A phone has room for the first two parts; the chips of the filter have all of them. */
function Summary({ servers, needs }: FleetNeeds) {
  const [total, gravest, ...others] = [
    count(servers, 'server'),
    needs.unreachable > 0 ? `${needs.unreachable} unreachable` : '',
    needs.critical_alert > 0 ? `${needs.critical_alert} with critical alerts` : '',
    needs.stale_backup > 0 ? `${needs.stale_backup} with overdue backups` : '',
    needs.disk_full > 0 ? `${needs.disk_full} with nearly full disks` : '',
    needs.security_updates > 0 ? `${needs.security_updates} with security updates` : '',
  ].filter(Boolean);
  return (
    <>
      {[total, gravest].filter(Boolean).join(' · ')}
      {others.length === 0 ? null : <span class="desk"> · {others.join(' · ')}</span>}
    </>
  );
}

const BULK_JOBS = [
  ['backup', 'database-backup', 'Back up…'],
  ['os_patch', 'package', 'Update packages…'],
  ['os_update_check', 'refresh-cw', 'Check for updates…'],
  ['host_reboot', 'power', 'Reboot…'],
] as const satisfies readonly (readonly [JobType, IconName, string])[];

function TagChoice({ query, tags }: { readonly query: URLSearchParams; readonly tags: readonly TagCount[] }) {
  const chosen = query.get('tag') ?? '';
  const isOffered = chosen === '' || tags.some(({ tag }) => tag === chosen);
  const options = tags.map(({ tag, servers }) => ({ value: tag, label: `${tag} (${servers})` }));
  return (
    <FilterChoice
      query={query}
      name="tag"
      label="Tag"
      options={isOffered ? options : [{ value: chosen, label: chosen }, ...options]}
    />
  );
}

function Nothing({ filtered, mayAct }: { readonly filtered: boolean; readonly mayAct: boolean }) {
  if (filtered) return <NoMatch path={PATH}>No server matches.</NoMatch>;
  return (
    <Empty icon="server">
      No servers yet.{' '}
      {mayAct
        ? 'Add the first one: enter its address and account, and Drover guides you to its first backup.'
        : 'An operator or administrator adds the first one.'}
    </Empty>
  );
}
