import { Readable } from 'node:stream';
import { strToU8, zipSync } from 'fflate';
import type {
  GetTemplate,
  ListDeployments,
  ListTemplates,
} from '../../../../../application/compose/list-templates.ts';
import type { ManageTemplates } from '../../../../../application/compose/manage-templates.ts';
import type { ListAudit } from '../../../../../application/events/list-audit.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import { statusOf } from '../../../api/error-table.ts';
import { MANIFEST, manifestText } from '../../../api/template-manifest.ts';
import { AddLink } from '../../components/add-link.tsx';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { submit } from '../../form-state.ts';
import {
  done,
  fileReply,
  page,
  redirect,
  type SignedInVisit,
  type WebReply,
  type WebRoute,
} from '../../route.ts';
import { serverNamed } from '../../server-names.ts';
import {
  draftFrom,
  draftOf,
  NEW_VARIABLE,
  newDraft,
  placed,
  rawOf,
  type TemplateDraft,
  withUpload,
} from '../../template-request.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { summaryOf, type TemplateCard, TemplateCards } from './template-cards.tsx';
import { TemplateForm } from './template-form.tsx';
import { TemplateView, templateHead } from './template-view.tsx';

export interface TemplateDeps {
  readonly listTemplates: Pick<ListTemplates, 'execute'>;
  readonly getTemplate: Pick<GetTemplate, 'byName'>;
  readonly listDeployments: Pick<ListDeployments, 'execute'>;
  readonly manageTemplates: Pick<ManageTemplates, 'import' | 'remove'>;
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly listAudit: Pick<ListAudit, 'execute'>;
}

const PATH = '/templates';
const CARDS = 12;
const DEPLOYMENTS = 100;
const VERSIONS = 10;
/** Servers to choose from; of more, the name is typed. */
const SERVERS = 200;

/** Compose projects to be deployed many times. */
export function templateRoutes(deps: TemplateDeps): readonly WebRoute[] {
  return [
    { method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => listPage(deps, visit) },
    { method: 'GET', path: `${PATH}/new`, needs: 'operator', handle: () => formPage(newDraft(), null) },
    { method: 'POST', path: `${PATH}/new`, needs: 'operator', handle: (visit) => save(deps, visit, null) },
    { method: 'GET', path: `${PATH}/:name`, needs: 'viewer', handle: (visit) => showPage(deps, visit) },
    {
      method: 'GET',
      path: `${PATH}/:name/edit`,
      needs: 'operator',
      handle: async (visit) => {
        const template = await templateOf(deps, visit);
        return formPage(draftOf(template), template);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:name/edit`,
      needs: 'operator',
      handle: async (visit) => save(deps, visit, await templateOf(deps, visit)),
    },
    {
      method: 'GET',
      path: `${PATH}/:name/export`,
      needs: 'viewer',
      handle: async (visit) => archiveOf(await templateOf(deps, visit)),
    },
    {
      method: 'GET',
      path: `${PATH}/:name/deploy`,
      needs: 'operator',
      handle: (visit) => deploy(deps, visit),
    },
    {
      method: 'POST',
      path: `${PATH}/:name/remove`,
      needs: 'operator',
      handle: (visit) => remove(deps, visit),
    },
  ];
}

/** Throws `template_not_found`. */
const templateOf = (deps: TemplateDeps, { visitor, params }: SignedInVisit): Promise<Template> =>
  deps.getTemplate.byName(visitor.actor, params['name'] ?? '');

async function listPage(deps: TemplateDeps, { visitor, query, now }: SignedInVisit): Promise<WebReply> {
  const { actor } = visitor;
  const found = await deps.listTemplates.execute(actor, { limit: CARDS, offset: offsetOf(query) });
  const cards = await Promise.all(found.items.map(({ name }) => cardOf(deps, actor, name)));
  const mayAct = mayOperate(actor, 'all servers');
  return {
    ...page(
      'jobs',
      'Templates',
      <TemplateCards {...{ cards, now, mayAct }} paging={{ found, path: PATH, query }} />,
    ),
    live: { all: true },
    header: {
      sub: found.total === 0 ? null : summaryOf(cards, found.total),
      actions: mayAct ? <AddLink href={`${PATH}/new`}>New template</AddLink> : null,
    },
  };
}

async function cardOf(deps: TemplateDeps, actor: Actor, name: string): Promise<TemplateCard> {
  const [template, deployments] = await Promise.all([
    deps.getTemplate.byName(actor, name),
    deps.listDeployments.execute(actor, { templateName: name }, { limit: DEPLOYMENTS, offset: 0 }),
  ]);
  return { template, deployments };
}

async function showPage(
  deps: TemplateDeps,
  visit: SignedInVisit,
  state: FormState = NEW_FORM,
  status = 200,
): Promise<WebReply> {
  const { visitor, now, params } = visit;
  const { actor } = visitor;
  const card = await cardOf(deps, actor, params['name'] ?? '');
  const { template } = card;
  const mayAct = mayOperate(actor, 'all servers');
  const [servers, versions] = await Promise.all([
    mayAct ? deps.listServers.execute(actor, { feature: 'docker', limit: SERVERS, offset: 0 }) : null,
    actor.role === 'administrator'
      ? deps.listAudit.execute(
          actor,
          { object: `template:${template.id}`, action: 'template.import', outcome: 'done' },
          { limit: VERSIONS, offset: 0 },
        )
      : null,
  ]);
  return {
    ...page(
      'jobs',
      template.name,
      <TemplateView
        {...card}
        {...{ now, mayAct, state }}
        servers={
          servers !== null && servers.total > SERVERS ? undefined : servers?.items.map(({ name }) => name)
        }
        versions={versions?.items ?? []}
      />,
      status,
    ),
    live: { all: true },
    header: templateHead(card, { now, mayAct }),
  };
}

const formPage = (
  draft: TemplateDraft,
  template: Template | null,
  state: FormState = NEW_FORM,
  status = 200,
): WebReply => ({
  ...page(
    'jobs',
    template === null ? 'New template' : `Edit ${template.name}`,
    <>
      <TemplateForm draft={draft} state={placed(state)} template={template} />
    </>,
    status,
  ),
  script: 'templateFiles',
});

/** Takes the template over; with `more` it only shows the form again, with room for another file or those that were read. */
async function save(
  deps: TemplateDeps,
  { visitor, form }: SignedInVisit,
  template: Template | null,
): Promise<WebReply> {
  const draft = draftFrom(form);
  return submit(
    form,
    async () => {
      const upload = form.get('upload') ?? '';
      if (upload !== '') return formPage(withUpload(draft, upload), template);
      const { files, variables } = draft;
      if (form.get('more') === 'file')
        return formPage({ ...draft, files: [...files, { path: '', content: '' }] }, template);
      if (form.get('more') === 'variable')
        return formPage({ ...draft, variables: [...variables, NEW_VARIABLE] }, template);
      const raw = rawOf(draft);
      if (template !== null && raw.name !== template.name) {
        const message = `The name stays ${template.name}; create a new template for another name.`;
        throw new InvalidInput([{ path: '/name', message }]);
      }
      const saved = await deps.manageTemplates.import(visitor.actor, raw, draft.files);
      return done(`${PATH}/${saved.name}`, saved.name);
    },
    (state, error) => formPage(draft, template, state, statusOf(error.code)),
  );
}

/** The same files are to make the same bytes: there is no earlier day in a ZIP. */
const FIRST_DAY = new Date(1980, 0, 1);

/** A folder that `drover template import` takes. */
function archiveOf(template: Template): WebReply {
  const files = [{ path: MANIFEST, content: manifestText(template) }, ...template.files];
  const bytes = zipSync(
    Object.fromEntries(files.map(({ path, content }) => [`${template.name}/${path}`, strToU8(content)])),
    { level: 0, mtime: FIRST_DAY },
  );
  const content = Readable.from([Buffer.from(bytes)]);
  return fileReply({ name: `${template.name}.zip`, size: bytes.length, sha256: null, content });
}

/** Redirects to the start form of the server with that name. */
async function deploy(deps: TemplateDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query } = visit;
  const template = await templateOf(deps, visit);
  const named = (query.get('server') ?? '').trim().slice(0, 200);
  const id = named === '' ? null : await serverNamed(deps.listServers, visitor.actor, named);
  if (id === null) {
    const message = named === '' ? 'Enter a server.' : `There is no server named ${named}.`;
    return showPage(
      deps,
      visit,
      { typed: query, problems: [{ path: '/server', message }], fault: null },
      422,
    );
  }
  const asked = new URLSearchParams({ type: 'template_deploy', template: template.name });
  return redirect(`/servers/${id}/jobs/new?${asked}`);
}

async function remove(deps: TemplateDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, form } = visit;
  const { name } = await templateOf(deps, visit);
  return submit(
    form,
    async () => {
      if (form.get('confirm')?.trim() !== name) {
        throw new InvalidInput([{ path: '/confirm', message: `Type ${name} to confirm.` }]);
      }
      await deps.manageTemplates.remove(visitor.actor, name);
      return done(PATH, name);
    },
    (state, error) => showPage(deps, visit, state, statusOf(error.code)),
  );
}
