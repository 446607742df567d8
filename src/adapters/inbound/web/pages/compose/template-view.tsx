import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import type { Deployment } from '../../../../../domain/compose/deployment.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import type { TemplateVariable } from '../../../../../domain/compose/template-variable.ts';
import { Field, type FormState, NEW_FORM } from '../../components/form.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { Ago } from '../../components/time.tsx';

interface TemplateViewProps {
  readonly template: Template;
  readonly deployments: Page<Deployment>;
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly state: FormState;
}

/** One template: its variables, its files, and where it runs. */
export function TemplateView({ template, deployments, now, mayAct, state }: TemplateViewProps) {
  const path = `/templates/${template.name}`;
  const removing = state.problems.some((problem) => problem.path === '/confirm');
  return (
    <>
      <p>{template.description}</p>
      <p class="quiet">
        Version {template.version}, changed <Ago at={template.updatedAt} now={now} /> by {template.createdBy}
      </p>
      <p class="actions">
        {mayAct ? (
          <a class="button" href={`${path}/edit`}>
            Change
          </a>
        ) : null}
        <a href={`${path}/export`} download>
          Download as zip
        </a>
      </p>
      {mayAct ? (
        <form method="get" action={`${path}/deploy`} class="column">
          <Field
            state={removing ? NEW_FORM : state}
            name="server"
            label="Deploy it on the server"
            help="Its name or number. The values come next, then a dry run shows every file that would change."
          />
          <button type="submit">Deploy …</button>
        </form>
      ) : null}
      <h2>Variables</h2>
      <Variables variables={template.variables} />
      <h2>Files</h2>
      {template.files.map((file) => (
        <section key={file.path}>
          <h3 class="mono">{file.path}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre class="log" tabIndex={0} role="region" aria-label={file.path}>
            {file.content}
          </pre>
        </section>
      ))}
      <h2>Deployed</h2>
      <Deployments deployments={deployments} newest={template.version} now={now} mayAct={mayAct} />
      {mayAct ? (
        <RemoveForm
          action={`${path}/remove`}
          what={`the template ${template.name}`}
          effect="What was deployed from it goes on running, and cannot be deployed again from here."
          confirm={template.name}
          state={removing ? state : NEW_FORM}
        />
      ) : null}
    </>
  );
}

const neededText = (variable: TemplateVariable): string =>
  variable.default !== null
    ? JSON.stringify(variable.default)
    : variable.required
      ? 'has to be given'
      : 'may be given';

function Variables({ variables }: { readonly variables: readonly TemplateVariable[] }) {
  if (variables.length === 0) return <p class="quiet">It has none.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Variable</th>
            <th scope="col">Type</th>
            <th scope="col">Value</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {variables.map((each) => (
            <tr key={each.name}>
              <td class="mono">{each.name}</td>
              <td>{each.type === 'choice' ? `choice: ${each.choices.join(', ')}` : each.type}</td>
              <td class="mono text">{neededText(each)}</td>
              <td class="text">{each.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Deployments({
  deployments,
  newest,
  now,
  mayAct,
}: {
  readonly deployments: Page<Deployment>;
  readonly newest: number;
  readonly now: Instant;
  readonly mayAct: boolean;
}) {
  if (deployments.items.length === 0) return <p class="quiet">Nowhere yet.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">Directory</th>
            <th scope="col">Version</th>
            <th scope="col">Deployed</th>
            {mayAct ? <th scope="col">Again</th> : null}
          </tr>
        </thead>
        <tbody>
          {deployments.items.map((each) => (
            <tr key={each.id}>
              <td>
                <a href={`/servers/${each.serverId}`}>{each.serverName}</a>
              </td>
              <td class="mono text">{each.directory}</td>
              <td>
                {each.templateVersion} {each.templateVersion < newest ? <span class="tag">older</span> : null}
              </td>
              <td>
                <Ago at={each.deployedAt} now={now} /> by <a href={`/jobs/${each.jobId}`}>job {each.jobId}</a>
              </td>
              {mayAct ? (
                <td>
                  <a
                    href={`/servers/${each.serverId}/jobs/new?${new URLSearchParams({ type: 'template_redeploy', source_filter: each.directory })}`}
                  >
                    Deploy again on {each.serverName}
                  </a>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
      {deployments.total > deployments.items.length ? (
        <p class="quiet">and {deployments.total - deployments.items.length} more</p>
      ) : null}
    </div>
  );
}
