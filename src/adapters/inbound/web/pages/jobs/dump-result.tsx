import { count } from '../../../../../domain/base/spans.ts';
import type { JobResult } from '../../../../../domain/jobs/job.ts';
import { size } from '../../components/size.ts';

/** A dump's target database, and its current content. */
export function DumpRestore({ result }: { readonly result: JobResult }) {
  const { target } = result;
  const found: Readonly<Record<string, unknown>> =
    typeof target === 'object' && target !== null ? { ...target } : {};
  const tables = found['tables'];
  const has = found['exists'] === false ? 'does not exist yet' : null;
  return (
    <dl class="facts">
      <dt>Dump</dt>
      <dd>
        {String(result['dump'])} of {String(result['source'])}, {size(Number(result['bytes'] ?? 0))}
      </dd>
      <dt>Target database</dt>
      <dd class="mono">{typeof result['database'] === 'string' ? result['database'] : 'all'}</dd>
      {typeof found['version'] === 'string' ? (
        <>
          <dt>Database server</dt>
          <dd>{found['version']}</dd>
        </>
      ) : null}
      {has !== null || typeof tables === 'number' ? (
        <>
          <dt>Current contents</dt>
          <dd>{has ?? `${count(Number(tables), 'table')}, ${size(Number(found['bytes'] ?? 0))}`}</dd>
        </>
      ) : null}
    </dl>
  );
}
