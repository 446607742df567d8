import { TRANSFER_PLAN } from '../../../../../application/backups/planned-transfer.ts';
import {
  type FileChange,
  type ServiceChange,
  TEMPLATE_PLAN,
} from '../../../../../application/compose/template-plan.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { isContainerChange } from '../../../../../domain/compose/container-change.ts';
import { isPackageChange } from '../../../../../domain/fleet/package-change.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Diff } from '../../components/diff.tsx';
import { size } from '../../components/size.ts';
import { Status } from '../../components/status.tsx';
import { shortDigest } from './guard-result.tsx';

/** Rows of a long list that are shown; the whole result has the rest. */
export const MAX_ROWS = 300;

/** Empty for the usual kind. */
const other = (kind: string): string => (kind === 'upgrade' ? '' : kind);

/** The changes of a job or a dry run, as a table of their kind. */
export function JobChanges({ changes }: { readonly changes: readonly unknown[] }) {
  if (changes.length === 0) return <p>No changes.</p>;
  if (changes.every(isPackageChange)) {
    return (
      <DataTable
        rows={changes}
        max={MAX_ROWS}
        columns={[
          { head: 'Package', kind: 'code', cell: ({ name }) => name },
          { head: 'Installed', kind: 'code', phone: 'label', cell: ({ from }) => from ?? '–' },
          { head: 'New', kind: 'code', phone: 'label', cell: ({ to }) => to ?? '–' },
          {
            head: 'Kind',
            kind: 'state',
            // Most are upgrades: only what is more, or something else, is marked.
            cell: ({ security, kind }) =>
              security ? <Status tone="care">{`security ${other(kind)}`.trim()}</Status> : other(kind),
          },
        ]}
      />
    );
  }
  if (changes.every(isContainerChange)) {
    return (
      <DataTable
        rows={changes}
        max={MAX_ROWS}
        columns={[
          { head: 'Project', kind: 'code', cell: ({ directory }) => directory },
          { head: 'Service', kind: 'code', cell: ({ service }) => service },
          { head: 'What', kind: 'state', cell: ({ kind }) => kind },
          { head: 'Image or data', kind: 'code', cell: ({ image, path }) => image ?? path ?? '–' },
          { head: 'From', kind: 'code', phone: 'label', cell: ({ from }) => shortDigest(from) },
          { head: 'To', kind: 'code', phone: 'label', cell: ({ to }) => shortDigest(to) },
        ]}
      />
    );
  }
  if (changes.every(TRANSFER_PLAN.isChange)) {
    return (
      <DataTable
        rows={changes}
        max={MAX_ROWS}
        columns={[
          { head: 'Source', cell: ({ source }) => source },
          { head: 'Paths', kind: 'code', cell: ({ paths }) => paths.join(' ') },
          { head: 'Files', kind: 'number', cell: ({ files }) => files },
          { head: 'Size', kind: 'number', cell: (change) => size(change.total_bytes) },
          {
            head: 'To transfer',
            kind: 'number',
            cell: (change) => `${count(change.transfer_files, 'file')}, ${size(change.transfer_bytes)}`,
          },
        ]}
      />
    );
  }
  if (changes.every(TEMPLATE_PLAN.isChange)) return <DeploymentDiff changes={changes} />;
  return null;
}

/** A deployment's changes: services, and files line by line with masked secrets. */
function DeploymentDiff({ changes }: { readonly changes: readonly (FileChange | ServiceChange)[] }) {
  const services = changes.filter((each) => each.kind === 'service');
  const files = changes.filter((each) => each.kind === 'file');
  return (
    <>
      {services.length === 0 ? null : (
        <DataTable
          rows={services}
          max={MAX_ROWS}
          columns={[
            { head: 'Service', kind: 'code', cell: ({ service }) => service },
            { head: 'What', kind: 'state', cell: ({ action }) => action },
            { head: 'Image', kind: 'code', cell: ({ image }) => image ?? '–' },
          ]}
        />
      )}
      {files.map((each) => (
        <section key={each.path}>
          <h3>
            <span class="mono">{each.path}</span>{' '}
            <span class="quiet">
              {each.action}
              {each.private ? ', readable only by its owner' : ''}
            </span>
          </h3>
          {each.diff === '' ? (
            <p class="quiet">Only secret values change.</p>
          ) : (
            <Diff diff={each.diff} label={`Changes to ${each.path}`} />
          )}
        </section>
      ))}
    </>
  );
}
