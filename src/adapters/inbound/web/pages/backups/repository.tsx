import type { CheckUnderWay } from '../../../../../application/backups/repository-checks.ts';
import type { BackupRepository } from '../../../../../domain/backups/backup-repository.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Card } from '../../components/card.tsx';
import { Field, FormFault, type FormState, NEW_FORM, Select } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { blaming, formRoute, idOf, numberOf, requireName, textOf } from '../../form-state.ts';
import { done, page, part, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { AuditRows } from '../events/audit-rows.tsx';
import { serverIdsIn } from '../events/audit-words.ts';
import { REPOSITORIES_PATH, type RepositoryDeps, repositoryPath } from './repositories.tsx';
import { RepositoryFields } from './repository-form.tsx';

const PATTERN = `${REPOSITORIES_PATH}/:name`;
const MAX_SERVERS = 200;
const READ_PERCENTS: readonly number[] = [0, 1, 5, 25, 100];

/** One repository: check, edit, remove. */
export const oneRepositoryRoutes = (deps: RepositoryDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATTERN,
    needs: 'administrator',
    handle: (visit) => repositoryPage(deps, visit, NEW_FORM),
  },
  {
    method: 'GET',
    path: `/live${PATTERN}`,
    needs: 'administrator',
    byItself: true,
    handle: async (visit) => {
      const repository = await deps.manageRepositories.find(visit.params['name'] ?? '');
      return part(await checks(deps, visit, repository));
    },
  },
  {
    method: 'GET',
    path: `${PATTERN}/edit`,
    needs: 'administrator',
    handle: (visit) => editPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${PATTERN}/edit`,
    async (visit) => {
      const { visitor, params } = visit;
      const changed = await blaming({ name_taken: '/name' }, () =>
        deps.manageRepositories.edit(visitor.actor, params['name'] ?? '', editOf(visit.form)),
      );
      return done(repositoryPath(changed), changed.name);
    },
    (visit, state) => editPage(deps, visit, state, 422),
    { confirm: true },
  ),
  formRoute(
    `${PATTERN}/check`,
    async (visit) => {
      const { form, visitor, params } = visit;
      const readPercent = numberOf(form, 'read');
      if (!READ_PERCENTS.includes(readPercent))
        throw new InvalidInput([{ path: '/read', message: 'Choose one of these options.' }]);
      const order = { name: params['name'] ?? '', serverId: idOf(textOf(form, 'server')), readPercent };
      await deps.repositoryChecks.start(visitor.actor, order);
      return done(repositoryPath(order), order.name);
    },
    (visit, state) => repositoryPage(deps, visit, state, 422),
  ),
  formRoute(
    `${PATTERN}/remove`,
    async (visit) => {
      const { name } = await deps.manageRepositories.find(visit.params['name'] ?? '');
      requireName(visit.form, name, 'remove it');
      await deps.manageRepositories.remove(visit.visitor.actor, name);
      return done(REPOSITORIES_PATH, name);
    },
    (visit, state) => repositoryPage(deps, visit, state, 422),
    { confirm: true },
  ),
];

/** Empty fields of secrets leave them as they are. */
function editOf(form: URLSearchParams) {
  const [password, login, secret] = [form.get('password'), textOf(form, 'login'), form.get('login_secret')];
  return {
    name: textOf(form, 'name'),
    url: textOf(form, 'url'),
    ...(password ? { password } : {}),
    ...(login === '' ? {} : { login: login === '-' ? null : { name: login, secret: secret || undefined } }),
  };
}

async function repositoryPage(
  deps: RepositoryDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { visitor, now } = visit;
  const repository = await deps.manageRepositories.find(visit.params['name'] ?? '');
  const page_ = { limit: MAX_SERVERS, offset: 0 };
  const { items: servers } = await deps.listServers.execute(visitor.actor, page_);
  const path = repositoryPath(repository);
  const reply = page(
    'settings',
    `Repository ${repository.name}`,
    <div class="stack">
      <FormFault state={state} />
      {await checks(deps, visit, repository)}
      <Card title="Check now">
        <CheckForm path={path} state={state} servers={servers} />
      </Card>
      <Card title="Remove">
        <form method="post" action={`${path}/remove`} class="column">
          <Field
            state={state}
            name="confirm"
            label={`Type ${repository.name} to remove it and its password from Drover`}
            help="Its contents are not deleted. You cannot remove it while a backup source or a snapshot uses it."
          />
          <button type="submit" class="danger" data-needs-name={repository.name}>
            Remove repository
          </button>
        </form>
      </Card>
    </div>,
    status,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      status:
        repository.initialisedAt === null ? (
          <Status tone="off">not used yet: the first backup creates it</Status>
        ) : (
          <Status tone="good">in use</Status>
        ),
      sub: (
        <>
          <span class="mono">{repository.url}</span>
          {repository.initialisedAt === null ? null : (
            <>
              {' '}
              · in use since <Ago at={repository.initialisedAt} now={now} />
            </>
          )}
        </>
      ),
      actions: (
        <a class="button quiet" href={`${path}/edit`}>
          Edit
        </a>
      ),
    },
  };
}

function CheckForm({
  path,
  state,
  servers,
}: {
  readonly path: string;
  readonly state: FormState;
  readonly servers: readonly Server[];
}) {
  return (
    <form method="post" action={`${path}/check`} class="column">
      <Select
        state={state}
        name="server"
        label="Checked by"
        options={[
          { value: '', label: 'a server that backs up to it' },
          ...servers.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <Select
        state={state}
        name="read"
        label="Read back"
        value="0"
        options={READ_PERCENTS.map((each) => ({
          value: String(each),
          label: each === 0 ? 'none: metadata only' : `${each} %`,
        }))}
      />
      <button type="submit" class="quiet">
        Check now
      </button>
    </form>
  );
}

/** Running checks, refreshed until they end, and results of earlier ones. */
async function checks(
  { repositoryChecks, listServers }: RepositoryDeps,
  { visitor, now: at }: SignedInVisit,
  repository: BackupRepository,
) {
  const { now, before } = await repositoryChecks.look(visitor.actor, repository.id);
  const servers = await listServers.names(visitor.actor, serverIdsIn(before));
  const live =
    now?.ended === null
      ? { 'hx-get': `/live${repositoryPath(repository)}`, 'hx-trigger': 'every 2s', 'hx-swap': 'outerHTML' }
      : {};
  return (
    <div id="checks" {...live}>
      <Card title="Integrity checks" flush>
        {now === null ? null : <UnderWay check={now} at={at} />}
        <AuditRows entries={before} servers={servers} now={at} nothing="Not checked yet." />
      </Card>
    </div>
  );
}

function UnderWay({ check, at }: { readonly check: CheckUnderWay; readonly at: Instant }) {
  const { ended, startedAt, current } = check;
  if (ended === null)
    return (
      <p role="status" class="body">
        <Status tone="busy">checking</Status> <span class="quiet">{current}</span>, since{' '}
        <Ago at={startedAt} now={at} />
      </p>
    );
  return (
    <p role="status" class="body">
      {ended.fault === null ? (
        <Status tone="good">No errors found.</Status>
      ) : (
        <Status tone="bad">{ended.fault}</Status>
      )}
    </p>
  );
}

async function editPage(
  { manageRepositories }: RepositoryDeps,
  { params }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const repository = await manageRepositories.find(params['name'] ?? '');
  const path = repositoryPath(repository);
  return page(
    'settings',
    `Edit repository ${repository.name}`,
    <form method="post" action={`${path}/edit`} class="column">
      <FormFault state={state} />
      <RepositoryFields state={state} repository={repository} />
      <p class="actions">
        <button type="submit">Save</button>
        <a href={path}>Cancel</a>
      </p>
    </form>,
    status,
  );
}
