import type { FileChange, ServiceChange } from '../../../../../application/compose/template-plan.ts';
import { ResultTable } from '../../components/result-table.tsx';

/** What a deployment changes: services, and files line by line with their secrets masked. */
export function DeploymentDiff({ changes }: { readonly changes: readonly (FileChange | ServiceChange)[] }) {
  const services = changes.filter((each) => each.kind === 'service');
  const files = changes.filter((each) => each.kind === 'file');
  return (
    <>
      {services.length === 0 ? null : (
        <ResultTable heads={['Service', 'What', 'Image']} total={services.length}>
          {services.map((each) => (
            <tr key={each.service}>
              <td class="mono">{each.service}</td>
              <td>{each.action}</td>
              <td class="mono text">{each.image ?? '–'}</td>
            </tr>
          ))}
        </ResultTable>
      )}
      {files.map((each) => (
        <section key={each.path}>
          <h3>
            <span class="mono">{each.path}</span>{' '}
            <span class="quiet">
              {each.action}
              {each.private ? ', read by its owner alone' : ''}
            </span>
          </h3>
          <Diff diff={each.diff} path={each.path} />
        </section>
      ))}
    </>
  );
}

const KIND_OF_SIGN: Readonly<Record<string, string>> = { '+': 'added', '-': 'gone', '@': 'place' };

function Diff({ diff, path }: { readonly diff: string; readonly path: string }) {
  if (diff === '') return <p class="quiet">Only secret values change.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <pre class="log diff" tabIndex={0} role="region" aria-label={`How ${path} changes`}>
      {diff
        .replace(/\n$/, '')
        .split('\n')
        .map((line, index) => (
          <span key={index} class={KIND_OF_SIGN[line[0] ?? '']}>
            {line}
            {'\n'}
          </span>
        ))}
    </pre>
  );
}
