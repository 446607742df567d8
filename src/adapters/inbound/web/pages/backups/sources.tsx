import type { BackupRepository } from '../../../../../domain/backups/backup-repository.ts';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import { DUMP_RULES, type Dump, dumpsOf } from '../../../../../domain/backups/dump.ts';
import { hookText } from '../../../../../domain/backups/hook.ts';
import { DEFAULT_RETENTION, type RetentionPolicy } from '../../../../../domain/backups/retention-policy.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field, type FormState } from '../../components/form.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import { Ago } from '../../components/time.tsx';
import { numberOf } from '../../form-state.ts';
import { Way } from '../fleet/remedy.tsx';
import { TestButton } from './source-check.tsx';
import { dumpsPath } from './source-dump-place.ts';

interface SourceRowsProps {
  readonly sources: readonly BackupSource[];
  readonly dumps: readonly Dump[];
  readonly repositories: readonly BackupRepository[];
  readonly server: Server;
  readonly mayAct: boolean;
  readonly now: Instant;
}

/** Backup sources, with retention and last success. */
export function SourceRows({ sources, dumps, repositories, server, mayAct, now }: SourceRowsProps) {
  const placeOf = ({ repositoryId }: BackupSource): string =>
    repositoryId === null
      ? "Drover's own storage"
      : (repositories.find(({ id }) => id === repositoryId)?.name ?? 'a repository');
  const pathOf = ({ name }: BackupSource): string => `/servers/${server.id}/sources/${name}`;
  return (
    <DataTable
      rows={sources}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="folder">
          Nothing on {server.name} is backed up yet. Add a source, such as <code>/etc</code>, then start a
          backup.
        </Empty>
      }
      columns={[
        { head: 'Source', cell: ({ name }) => name },
        { head: 'Paths', kind: 'code', cell: ({ paths }) => listed(paths) },
        { head: 'Excluded', kind: 'code', phone: 'label', cell: ({ excludes }) => listed(excludes) },
        {
          head: 'Dumps',
          phone: 'label',
          cell: (source) => <DumpsLink server={server} source={source} dumps={dumpsOf(source, dumps)} />,
        },
        { head: 'Stops', kind: 'code', phone: 'label', cell: ({ hooks }) => listed(hooks.map(hookText)) },
        { head: 'Destination', cell: placeOf },
        { head: 'Retention', phone: 'label', cell: ({ retention }) => keeps(retention) },
        {
          head: 'Last backup',
          phone: 'label',
          cell: ({ lastSuccessAt }) => <Ago at={lastSuccessAt} now={now} />,
        },
        mayAct && {
          head: 'Actions',
          kind: 'actions',
          cell: (source) => (
            <RowActions about={source.name}>
              <Way to={`${pathOf(source)}/edit`} label="Edit" about={source.name} />
              {source.hooks.length > 0 || dumpsOf(source, dumps).length > 0 ? (
                <TestButton action={`${pathOf(source)}/test`} about={source.name} />
              ) : null}
              <Way to={`${pathOf(source)}/remove`} label="Remove…" icon="trash-2" about={source.name} />
            </RowActions>
          ),
        },
      ]}
    />
  );
}

/** How many are listed; the rest is counted. */
const MAX_REPORTED = 4;

const listed = (entries: readonly string[]): string =>
  entries.length > MAX_REPORTED
    ? `${entries.slice(0, MAX_REPORTED).join(' ')} and ${entries.length - MAX_REPORTED} more`
    : entries.join(' ');

interface DumpsLinkProps extends Pick<SourceRowsProps, 'server' | 'dumps'> {
  readonly source: BackupSource;
}

function DumpsLink({ server, source, dumps }: DumpsLinkProps) {
  const words = dumps.map(({ name, kind }) => `${name} (${DUMP_RULES[kind].label})`).join(', ') || 'none';
  return (
    <a href={dumpsPath(server, source)} aria-label={`${words}: database dumps of ${source.name}`}>
      {words}
    </a>
  );
}

const RULES = [
  { rule: 'keepLast', name: 'keep_last', label: 'Latest', unit: 'latest' },
  { rule: 'keepDaily', name: 'keep_daily', label: 'Days', unit: 'days' },
  { rule: 'keepWeekly', name: 'keep_weekly', label: 'Weeks', unit: 'weeks' },
  { rule: 'keepMonthly', name: 'keep_monthly', label: 'Months', unit: 'months' },
  { rule: 'keepYearly', name: 'keep_yearly', label: 'Years', unit: 'years' },
] as const;

function keeps(policy: RetentionPolicy): string {
  const rules = RULES.filter(({ rule }) => policy[rule] > 0).map(
    ({ rule, unit }) => `${policy[rule]} ${unit}`,
  );
  return rules.join(', ') || 'none';
}

/** How many snapshots stay. */
export function RetentionFields({
  state,
  value = DEFAULT_RETENTION,
}: {
  readonly state: FormState;
  readonly value?: RetentionPolicy;
}) {
  return (
    <fieldset class="field">
      <legend>Snapshots to keep</legend>
      <p class="help">
        How many of the latest snapshots to keep, and for how many days, weeks, months and years to keep the
        newest one of each. 0: none.
      </p>
      <div class="numbers">
        {RULES.map(({ rule, name, label }) => (
          <Field
            key={name}
            state={state}
            name={name}
            path={`/retention/${name}`}
            label={label}
            value={String(value[rule])}
            inputmode="numeric"
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Reads every file on the host: seldom needed, and slow. */
export const ContentField = ({
  state,
  value = 0,
}: {
  readonly state: FormState;
  readonly value?: number;
}) => (
  <Field
    state={state}
    name="compare_content_every"
    label="Compare contents every"
    value={String(value)}
    inputmode="numeric"
    help="Every N backups, the contents of all files are compared, not only sizes and times. 0: never."
  />
);

/** A source in a repository has no such field. */
export const contentOf = (form: URLSearchParams): { readonly compareContentEvery?: number } =>
  form.has('compare_content_every') ? { compareContentEvery: numberOf(form, 'compare_content_every') } : {};

export const retentionOf = (form: URLSearchParams): RetentionPolicy => ({
  keepLast: numberOf(form, 'keep_last'),
  keepDaily: numberOf(form, 'keep_daily'),
  keepWeekly: numberOf(form, 'keep_weekly'),
  keepMonthly: numberOf(form, 'keep_monthly'),
  keepYearly: numberOf(form, 'keep_yearly'),
});
