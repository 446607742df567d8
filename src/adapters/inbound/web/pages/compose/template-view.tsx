import type { Instant } from '../../../../../domain/base/instant.ts';
import { ago } from '../../../../../domain/base/spans.ts';
import type { Deployment } from '../../../../../domain/compose/deployment.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import type { KeptEntry } from '../../../../../domain/events/audit-entry.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { FindBoxes } from '../../components/find-boxes.tsx';
import { Choices, Field, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { By } from '../../components/origin.tsx';
import type { PageHead } from '../../components/page-header.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Actor } from '../events/audit-rows.tsx';
import { Way } from '../fleet/remedy.tsx';
import { outdatedOf, type TemplateCard, TemplateState } from './template-cards.tsx';
import { hint, Images, imagesOf, SourceFiles } from './template-parts.tsx';

interface TemplateViewProps extends TemplateCard {
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly state: FormState;
  /** Those with Docker, by name; missing: too many. */
  readonly servers: readonly string[] | undefined;
  /** Entries of the audit log, the newest version first; none: the user may not read it. */
  readonly versions: readonly KeptEntry[];
}

/** How a template is, and the ways to change it. */
export function templateHead(
  card: TemplateCard,
  { now, mayAct }: Pick<TemplateViewProps, 'now' | 'mayAct'>,
): PageHead {
  const { name, description, version, updatedAt, createdBy } = card.template;
  const path = `/templates/${name}`;
  return {
    status: <TemplateState {...card} />,
    sub: (
      <>
        {description === '' ? null : `${description} · `}version {version}, <Ago at={updatedAt} now={now} />{' '}
        by <By label={createdBy} />
      </>
    ),
    actions: mayAct ? (
      <a class="button quiet" href={`${path}/edit`}>
        <Icon name="pencil" />
        Edit
      </a>
    ) : null,
    more: (
      <>
        <a href={`${path}/export`} download>
          <Icon name="download" />
          Download as zip
        </a>
        {mayAct ? (
          <a href="#delete">
            <Icon name="trash-2" />
            Delete…
          </a>
        ) : null}
      </>
    ),
  };
}

/** One template: where it runs, its files, and what a deployment needs. */
export function TemplateView(props: TemplateViewProps) {
  const { template, deployments, now, mayAct, state, servers, versions } = props;
  const path = `/templates/${template.name}`;
  const removing = state.problems.some((problem) => problem.path === '/confirm');
  return (
    <div class="stack">
      <Outdated {...props} />
      <div class="main-and-side">
        <div class="stack">
          <Card title="Where it runs" note={deployments.total} flush>
            <Deployments
              deployments={deployments.items}
              newest={template.version}
              now={now}
              mayAct={mayAct}
            />
          </Card>
          {deployments.total > deployments.items.length ? (
            <p class="quiet">and {deployments.total - deployments.items.length} more</p>
          ) : null}
          <Card title="Files" note="variables are marked" flush>
            <SourceFiles files={template.files} variables={template.variables} />
          </Card>
        </div>
        <div class="stack">
          {mayAct ? (
            <Deploy
              {...{ path, servers, now }}
              state={removing ? NEW_FORM : state}
              deployments={deployments.items}
            />
          ) : null}
          <Variables template={template} />
          <Card title="Images">
            <Images images={imagesOf(template)} />
          </Card>
          {versions.length === 0 ? null : <Versions versions={versions} now={now} />}
        </div>
      </div>
      {mayAct ? (
        <RemoveForm
          action={`${path}/remove`}
          what={`the template ${template.name}`}
          effect="Its deployments keep running, but you can no longer deploy them again from here."
          confirm={template.name}
          state={removing ? state : NEW_FORM}
        />
      ) : null}
    </div>
  );
}

const redeployPath = ({ serverId, directory }: Deployment): string =>
  `/servers/${serverId}/jobs/new?${new URLSearchParams({ type: 'template_redeploy', source_filter: directory })}`;

/** The first of the servers that do not have the newest version, and the way to update it. */
function Outdated({ mayAct, ...card }: TemplateViewProps) {
  const outdated = outdatedOf(card);
  const [first] = outdated;
  if (first === undefined) return null;
  const names = outdated.map(({ serverName }) => serverName).join(', ');
  return (
    <div class="banner care">
      <Icon name="triangle-alert" />
      <div>
        <strong>
          {outdated.length === 1 ? `${names} has an older version.` : `${outdated.length} older versions.`}
        </strong>
        <p>
          {outdated.length === 1
            ? `It runs version ${first.templateVersion}; the newest is ${card.template.version}.`
            : `${names}: the newest version is ${card.template.version}.`}{' '}
          Deploying again shows every change of a file first.
        </p>
      </div>
      {mayAct ? (
        <a class="button quiet small" href={redeployPath(first)}>
          Update {first.serverName}…
        </a>
      ) : null}
    </div>
  );
}

interface DeployProps extends Pick<TemplateViewProps, 'state' | 'servers' | 'now'> {
  readonly path: string;
  readonly deployments: readonly Deployment[];
}

/** Servers to choose from, those that it was deployed to last first; a field if there are too many or none. */
function Deploy({ path, state, servers, deployments, now }: DeployProps) {
  const latest = deployments.toSorted((one, other) => other.deployedAt - one.deployedAt);
  const used = new Map(latest.toReversed().map((each) => [each.serverName, each]));
  const names = servers?.toSorted(
    (one, other) => (used.get(other)?.deployedAt ?? 0) - (used.get(one)?.deployedAt ?? 0),
  );
  return (
    <Card title="Deploy" id="deploy">
      <form method="get" action={`${path}/deploy`}>
        {names === undefined || names.length === 0 ? (
          <Field state={state} name="server" label="Server" />
        ) : (
          <FindBoxes what="servers" count={names.length}>
            <Choices
              state={state}
              name="server"
              legend="Server"
              type="radio"
              chosen={names.slice(0, 1)}
              choices={names.map((name) => {
                const last = used.get(name);
                return last === undefined
                  ? { value: name, label: name }
                  : {
                      value: name,
                      label: name,
                      help: `Version ${last.templateVersion}, deployed ${ago(last.deployedAt, now)}`,
                    };
              })}
            />
          </FindBoxes>
        )}
        <p class="help">You enter the values next. A dry run then shows every file that would change.</p>
        <button type="submit">Continue</button>
      </form>
    </Card>
  );
}

const Variables = ({ template: { variables } }: { readonly template: Template }) => (
  <Card title="Variables" note={variables.length}>
    {variables.length === 0 ? (
      <p class="quiet">Every deployment is the same.</p>
    ) : (
      <ul class="variables">
        {variables.map((variable) => (
          <li key={variable.name}>
            <code>{variable.name}</code> <span class="value">{hint(variable)}</span>
            {variable.choices.length === 0 ? null : <p>One of {variable.choices.join(', ')}</p>}
            {variable.description === '' ? null : <p>{variable.description}</p>}
          </li>
        ))}
      </ul>
    )}
  </Card>
);

const Versions = ({ versions, now }: Pick<TemplateViewProps, 'versions' | 'now'>) => (
  <Card title="Versions">
    <ol class="variables">
      {versions.map(({ id, at, detail, ...by }) => (
        <li key={id}>
          <strong>Version {typeof detail['version'] === 'number' ? detail['version'] : '?'}</strong>{' '}
          <Ago at={at} now={now} />
          <p>
            saved by <Actor {...by} />
          </p>
        </li>
      ))}
    </ol>
  </Card>
);

const Deployments = ({
  deployments,
  newest,
  now,
  mayAct,
}: Pick<TemplateViewProps, 'now' | 'mayAct'> & {
  readonly deployments: readonly Deployment[];
  readonly newest: number;
}) => (
  <DataTable
    rows={deployments}
    keyOf={({ id }) => id}
    empty={
      <Empty icon="boxes" title="Not deployed yet">
        Choose a server to deploy it on.
      </Empty>
    }
    columns={[
      {
        head: 'Server',
        cell: ({ serverId, serverName }) => <a href={`/servers/${serverId}`}>{serverName}</a>,
      },
      {
        head: 'Version',
        kind: 'state',
        cell: ({ templateVersion }) => (
          <Status tone={templateVersion < newest ? 'care' : 'good'}>
            {templateVersion < newest ? `version ${templateVersion}, older` : `version ${templateVersion}`}
          </Status>
        ),
      },
      { head: 'Directory', kind: 'code', cell: ({ directory }) => directory },
      {
        head: 'Deployed',
        cell: ({ deployedAt, jobId }) => (
          <>
            <Ago at={deployedAt} now={now} /> <span class="quiet">by</span>{' '}
            <a href={`/jobs/${jobId}`}>job {jobId}</a>
          </>
        ),
      },
      mayAct && {
        head: 'Actions',
        kind: 'actions',
        cell: (deployment) => (
          <Way
            to={redeployPath(deployment)}
            label={deployment.templateVersion < newest ? 'Update…' : 'Deploy again…'}
            about={deployment.serverName}
          />
        ),
      },
    ]}
  />
);
