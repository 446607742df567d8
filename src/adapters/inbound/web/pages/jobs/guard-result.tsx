import type { Instant } from '../../../../../domain/base/instant.ts';
import type { JobResult } from '../../../../../domain/jobs/job.ts';
import { DataTable } from '../../components/data-table.tsx';
import { size } from '../../components/size.ts';
import { Ago } from '../../components/time.tsx';

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;
const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);
const amount = (value: unknown): string => (typeof value === 'number' ? size(value) : '–');

/** Twelve digits are enough to distinguish two images. */
export const shortDigest = (digest: string | null): string =>
  digest === null ? '–' : digest.replace(/^sha256:/, '').slice(0, 12);

/** Version and age of the images that an update replaces, at the time of the dry run. */
export function ImageNews({ result, at }: { readonly result: JobResult; readonly at: Instant }) {
  const rows = rowsOf(result['images']).filter((each) => 'changelog_url' in each);
  if (rows.length === 0) return null;
  return (
    <>
      <h3>Images</h3>
      <DataTable
        rows={rows}
        columns={[
          { head: 'Project', kind: 'code', cell: ({ directory }) => String(directory) },
          { head: 'Service', kind: 'code', cell: ({ service }) => String(service) },
          { head: 'Current', phone: 'label', cell: ({ from }) => <Image facts={from} now={at} /> },
          { head: 'New', phone: 'label', cell: ({ to }) => <Image facts={to} now={at} /> },
          { head: 'Changes', cell: ({ changelog_url: url }) => <Changelog url={url} /> },
        ]}
      />
    </>
  );
}

function Image({ facts, now }: { readonly facts: unknown; readonly now: Instant }) {
  const { version, created_at: created }: Row = isRow(facts) ? facts : {};
  if (typeof created !== 'string') return <>{typeof version === 'string' ? version : '–'}</>;
  return (
    <>
      {typeof version === 'string' ? `${version}, ` : ''}built <Ago at={Date.parse(created)} now={now} />
    </>
  );
}

/** Images are written by others: only web addresses become links. */
const Changelog = ({ url }: { readonly url: unknown }) =>
  typeof url === 'string' && /^https?:\/\//.test(url) ? (
    <a href={url} rel="noreferrer">
      {new URL(url).host}
    </a>
  ) : (
    <>–</>
  );

/** What a dry run of an update with saved data says beyond its changes: the copy, the backups before it, the checks. */
export function GuardResult({ result }: { readonly result: JobResult }) {
  const guarded = rowsOf(result['guarded']).filter((each) => 'rollback' in each);
  if (guarded.length === 0) return null;
  return (
    <>
      <h3>Saved before the update</h3>
      <DataTable
        rows={guarded}
        columns={[
          { head: 'Project', kind: 'code', cell: ({ directory }) => String(directory) },
          {
            head: 'Copy',
            kind: 'number',
            cell: (row) => `${amount(row['copy_bytes'])} of ${amount(row['free_bytes'])} free`,
          },
          { head: 'Backups before', cell: (row) => rowsOf(row['backups']).map(backupText).join('; ') || '–' },
          { head: 'Checks', kind: 'code', cell: (row) => checksText(row['checks']) },
          { head: 'Observed', kind: 'number', cell: (row) => `${Number(row['observe_minutes'])} min` },
          { head: 'A rollback restores', kind: 'code', cell: restoresText },
        ]}
      />
    </>
  );
}

const checksText = (checks: unknown): string =>
  Array.isArray(checks) && checks.length > 0 ? checks.map(String).join('; ') : '–';

/** The images by their digests, then the paths. */
function restoresText({ rollback, restores }: Row): string {
  const { images, paths }: Row = isRow(restores) ? restores : {};
  const names = rowsOf(images).map(({ service, digest }) =>
    typeof digest === 'string' ? `${String(service)} ${shortDigest(digest)}` : String(service),
  );
  const places = Array.isArray(paths) ? paths.map(String) : [];
  return [...names, ...places].join(', ') || String(rollback);
}

function backupText({ source, dumps, last_bytes: bytes, last_seconds: seconds }: Row): string {
  const names = Array.isArray(dumps) && dumps.length > 0 ? ` with dumps ${dumps.map(String).join(', ')}` : '';
  const last = typeof seconds === 'number' ? `last ${amount(bytes)} in ${seconds} s` : 'never backed up';
  return `${String(source)}${names} (${last})`;
}
