import type { Instant } from '../../../../../domain/base/instant.ts';
import type { TemplateSummary } from '../../../../../domain/compose/template.ts';
import { Ago } from '../../components/time.tsx';

/** Templates as a table. */
export function TemplateRows({
  templates,
  now,
}: {
  readonly templates: readonly TemplateSummary[];
  readonly now: Instant;
}) {
  if (templates.length === 0) {
    return (
      <p>
        There are no templates yet. A template is a compose project with variables, to be deployed on many
        servers with other values each.
      </p>
    );
  }
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Template</th>
            <th scope="col">What it is</th>
            <th scope="col">Version</th>
            <th scope="col">Variables</th>
            <th scope="col">Files</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {templates.map((each) => (
            <tr key={each.id}>
              <td>
                <a href={`/templates/${each.name}`}>{each.name}</a>
              </td>
              <td class="text">{each.description}</td>
              <td>{each.version}</td>
              <td>{each.variableCount}</td>
              <td>{each.fileCount}</td>
              <td>
                <Ago at={each.updatedAt} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
