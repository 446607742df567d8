import { Readable } from 'node:stream';
import type { ListAudit } from '../../../../../application/events/list-audit.ts';
import { type InputProblem, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { DAY, type Instant, toIso } from '../../../../../domain/base/instant.ts';
import type { AuditFilter } from '../../../../../domain/events/audit-entry.ts';
import { EXPORT_FORMATS, exported } from '../../../api/audit-export.ts';
import { Field, FormFault, type FormState } from '../../components/form.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { fileReply, page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { AuditRows } from './audit-rows.tsx';

export interface AuditDeps {
  readonly listAudit: Pick<ListAudit, 'execute' | 'export'>;
}

const PATH = '/audit';
const ROWS = 30;

/** The audit log. */
export const auditRoutes = (deps: AuditDeps): readonly WebRoute[] => [
  ...listRoutes(PATH, 'administrator', (visit) => listPage(deps, visit)),
  {
    method: 'GET',
    path: `${PATH}/export`,
    needs: 'administrator',
    handle: async ({ visitor, query, now }) => {
      const format = EXPORT_FORMATS.find((each) => each === query.get('format')) ?? 'csv';
      const entries = await deps.listAudit.export(visitor.actor, filterOf(query));
      return fileReply({
        name: `drover-audit-${toIso(now).slice(0, 10)}.${format}`,
        size: null,
        sha256: null,
        content: Readable.from(exported(entries, format)),
      });
    },
  },
];

const FIELDS = ['actor', 'action', 'server', 'outcome', 'from', 'until'] as const;

/** Throws `invalid_input` with every fault named. */
function filterOf(query: URLSearchParams): AuditFilter {
  const problems: InputProblem[] = [];
  const given = (name: (typeof FIELDS)[number]): string => (query.get(name) ?? '').trim();
  const day = (name: 'from' | 'until'): Instant | null => {
    const raw = given(name);
    if (raw === '') return null;
    const at = /^\d{4}-\d{2}-\d{2}$/.test(raw) ? Date.parse(`${raw}T00:00:00Z`) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    problems.push({ path: `/${name}`, message: 'Enter a day, such as 2026-11-20.' });
    return null;
  };
  const [from, until] = [day('from'), day('until')];
  const server = given('server');
  if (server !== '' && !/^[1-9]\d{0,14}$/.test(server)) {
    problems.push({ path: '/server', message: 'Enter a server ID: a whole number from 1.' });
  }
  const outcome = (['done', 'refused'] as const).find((each) => each === given('outcome'));
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    ...(given('actor') === '' ? {} : { actorName: given('actor') }),
    ...(given('action') === '' ? {} : { action: given('action') }),
    ...(server === '' ? {} : { serverId: Number(server) }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(from === null ? {} : { from }),
    // The last day is meant whole.
    ...(until === null ? {} : { until: until + DAY }),
  };
}

async function listPage({ listAudit }: AuditDeps, { visitor, query, now }: SignedInVisit) {
  const state: FormState = { typed: query, problems: [], fault: null };
  try {
    const found = await listAudit.execute(visitor.actor, filterOf(query), {
      limit: ROWS,
      offset: offsetOf(query),
    });
    const list = (
      <>
        <AuditRows
          entries={found.items}
          now={now}
          nothing="No entry matches."
          paging={{ found, path: PATH, query }}
        />
        <p class="quiet">
          Export {found.total === 1 ? 'this entry' : `these ${found.total} entries`}:{' '}
          {EXPORT_FORMATS.map((format) => (
            <a key={format} href={`${PATH}/export?${exportQuery(query, format)}`} class="take">
              {format === 'csv' ? 'CSV' : 'lines of JSON'}
            </a>
          ))}
        </p>
        <p class="quiet">
          Entries are signed and chained: <code>drover audit verify</code> shows whether any entry was changed
          or is missing.
        </p>
      </>
    );
    return { ...page('settings', 'Audit', <Filter state={state} />), list };
  } catch (error) {
    if (!isDomainError(error, 'invalid_input')) throw error;
    const wrong = { ...state, problems: error.problems };
    return { ...page('settings', 'Audit', <Filter state={wrong} />, 422), list: null };
  }
}

function exportQuery(query: URLSearchParams, format: string): string {
  const kept = new URLSearchParams({ format });
  for (const name of FIELDS) if (query.get(name)) kept.set(name, query.get(name) ?? '');
  return kept.toString();
}

function Filter({ state }: { readonly state: FormState }) {
  const outcome = state.typed.get('outcome') ?? '';
  return (
    <form method="get" action={PATH} class="filter audit">
      <FormFault state={state} />
      <Field state={state} name="actor" label="Who" required={false} />
      <Field state={state} name="action" label="What" help="job or job.request" required={false} />
      <Field state={state} name="server" label="Server" help="its id" inputmode="numeric" required={false} />
      <div class="field">
        <label for="outcome">Outcome</label>
        <select id="outcome" name="outcome">
          {['', 'done', 'refused'].map((each) => (
            <option key={each} value={each} selected={each === outcome}>
              {each === '' ? 'any' : each}
            </option>
          ))}
        </select>
      </div>
      <Field state={state} name="from" label="From" help="2026-11-20" required={false} />
      <Field state={state} name="until" label="To" help="that day too" required={false} />
      <button type="submit">Show</button>
    </form>
  );
}
