import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import type { Deployment } from '../../../../../domain/compose/deployment.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import type { TemplateVariable } from '../../../../../domain/compose/template-variable.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Field, type FormState, NEW_FORM } from '../../components/form.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { Ago } from '../../components/time.tsx';
import { Way } from '../fleet/remedy.tsx';

interface TemplateViewProps {
  readonly template: Template;
  readonly deployments: Page<Deployment>;
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly state: FormState;
}

/** One template: its variables, its files, and its deployments. */
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
          <a class="button quiet" href={`${path}/edit`}>
            Edit
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
            label="Deploy on server"
            help="Name or ID. You enter the values next; a dry run then shows every file that would change."
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
          effect="Its deployments keep running, but you can no longer deploy them again from here."
          confirm={template.name}
          state={removing ? state : NEW_FORM}
        />
      ) : null}
    </>
  );
}

const neededText = (variable: TemplateVariable): string =>
  variable.default !== null ? JSON.stringify(variable.default) : variable.required ? 'required' : 'optional';

const Variables = ({ variables }: { readonly variables: readonly TemplateVariable[] }) => (
  <DataTable
    rows={variables}
    keyOf={({ name }) => name}
    empty="No variables."
    columns={[
      { head: 'Variable', kind: 'code', cell: ({ name }) => name },
      {
        head: 'Type',
        cell: ({ type, choices }) => (type === 'choice' ? `choice: ${choices.join(', ')}` : type),
      },
      { head: 'Value', kind: 'code', cell: neededText },
      { head: 'Description', kind: 'text', cell: ({ description }) => description },
    ]}
  />
);

const Deployments = ({
  deployments: { items, total },
  newest,
  now,
  mayAct,
}: {
  readonly deployments: Page<Deployment>;
  readonly newest: number;
  readonly now: Instant;
  readonly mayAct: boolean;
}) => (
  <>
    <DataTable
      rows={items}
      keyOf={({ id }) => id}
      empty="Not deployed yet."
      columns={[
        {
          head: 'Server',
          cell: ({ serverId, serverName }) => <a href={`/servers/${serverId}`}>{serverName}</a>,
        },
        { head: 'Directory', kind: 'code', cell: ({ directory }) => directory },
        {
          head: 'Version',
          phone: 'label',
          cell: ({ templateVersion }) => (
            <>
              {templateVersion} {templateVersion < newest ? <span class="tag">older</span> : null}
            </>
          ),
        },
        {
          head: 'Deployed',
          cell: ({ deployedAt, jobId }) => (
            <>
              <Ago at={deployedAt} now={now} /> by <a href={`/jobs/${jobId}`}>job {jobId}</a>
            </>
          ),
        },
        mayAct && {
          head: 'Actions',
          kind: 'actions',
          cell: ({ serverId, serverName, directory }) => (
            <Way
              to={`/servers/${serverId}/jobs/new?${new URLSearchParams({ type: 'template_redeploy', source_filter: directory })}`}
              label="Deploy again"
              about={serverName}
            />
          ),
        },
      ]}
    />
    {total > items.length ? <p class="quiet">and {total - items.length} more</p> : null}
  </>
);
