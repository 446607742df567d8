import type { ManageRepositories } from '../../../../../application/backups/manage-repositories.ts';
import type { RepositoryChecks } from '../../../../../application/backups/repository-checks.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { BackupRepository } from '../../../../../domain/backups/backup-repository.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { AddLink } from '../../components/add-link.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Ago } from '../../components/time.tsx';
import { blaming, submit, textOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { RepositoryFields } from './repository-form.tsx';

export interface RepositoryDeps {
  readonly manageRepositories: Pick<ManageRepositories, 'list' | 'find' | 'add' | 'edit' | 'remove'>;
  readonly repositoryChecks: Pick<RepositoryChecks, 'start' | 'look'>;
  readonly listServers: Pick<ListServers, 'execute' | 'names'>;
}

export const REPOSITORIES_PATH = '/settings/repositories';
const NEW_PATH = '/settings/new-repository';
export const repositoryPath = ({ name }: Pick<BackupRepository, 'name'>): string =>
  `${REPOSITORIES_PATH}/${encodeURIComponent(name)}`;

/** Backup repositories outside the service, and adding one. */
export const repositoryRoutes = (deps: RepositoryDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: REPOSITORIES_PATH,
    needs: 'administrator',
    handle: (visit) => listPage(deps, visit),
  },
  { method: 'GET', path: NEW_PATH, needs: 'administrator', handle: () => newPage(NEW_FORM) },
  {
    method: 'POST',
    path: NEW_PATH,
    needs: 'administrator',
    handle: ({ form, visitor }) =>
      submit(
        form,
        async () => {
          const login = textOf(form, 'login');
          const asked = {
            name: textOf(form, 'name'),
            url: textOf(form, 'url'),
            secrets: {
              password: form.get('password') ?? '',
              login: login === '' ? null : { name: login, secret: form.get('login_secret') ?? '' },
            },
          };
          const made = await blaming({ name_taken: '/name' }, () =>
            deps.manageRepositories.add(visitor.actor, asked),
          );
          return done(repositoryPath(made), made.name);
        },
        (state) => newPage(state, 422),
      ),
  },
];

async function listPage(
  { manageRepositories }: RepositoryDeps,
  { visitor, now }: SignedInVisit,
): Promise<WebReply> {
  const repositories = await manageRepositories.list(visitor.actor);
  const reply = page(
    'settings',
    'Repositories',
    <>
      <p class="help">
        Without a repository, backups are stored in the data directory of this service. A repository is an
        external location that servers write to with restic: encrypted, and safe if you lose this machine.
      </p>
      <Rows repositories={repositories} now={now} />
    </>,
  );
  const actions = <AddLink href={NEW_PATH}>Add a repository</AddLink>;
  return { ...reply, header: { actions }, live: { all: true } };
}

const Rows = ({
  repositories,
  now,
}: {
  readonly repositories: readonly BackupRepository[];
  readonly now: Instant;
}) => (
  <DataTable
    rows={repositories}
    keyOf={({ id }) => id}
    empty="No repositories yet."
    columns={[
      { head: 'Name', cell: (each) => <a href={repositoryPath(each)}>{each.name}</a> },
      { head: 'Kind', kind: 'state', cell: ({ kind }) => kind },
      { head: 'Address', kind: 'code', cell: ({ url }) => url },
      {
        head: 'In use since',
        phone: 'label',
        cell: ({ initialisedAt: at }) =>
          at === null ? <span class="quiet">not yet</span> : <Ago at={at} now={now} />,
      },
      { head: 'Added', phone: 'label', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
    ]}
  />
);

const newPage = (state: FormState, status = 200): WebReply =>
  page(
    'settings',
    'New backup repository',
    <form method="post" action={NEW_PATH} class="column">
      <FormFault state={state} />
      <RepositoryFields state={state} repository={null} />
      <p class="actions">
        <button type="submit">Add repository</button>
        <a href={REPOSITORIES_PATH}>Cancel</a>
      </p>
    </form>,
    status,
  );
