import * as z from 'zod';
import { ManageRepositories } from '../../../../application/backups/manage-repositories.ts';
import { page as examplePage, REPOSITORY } from '../examples.ts';
import { pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { repositorySchema, repositoryView } from '../views/repository-view.ts';

export const listRepositories = operation({
  name: 'list_repositories',
  scope: 'read',
  effect: 'reads',
  title: 'List backup repositories',
  description:
    'Lists restic repositories for backups, by name, without passwords and credentials. Only operators can add or remove them.',
  input: z.strictObject(pageFields(50)),
  output: z.strictObject({ repositories: z.array(repositorySchema), ...pageShape }),
  group: 'Backups',
  errors: ['feature_not_allowed'],
  examples: [
    { title: 'All repositories', input: {}, output: { repositories: [REPOSITORY], ...examplePage(1) } },
  ],
  routes: [{ method: 'GET', path: '/repositories', status: 200 }],
  async run(useCases, actor, { limit, offset }) {
    const all = await useCases.get(ManageRepositories).list(actor);
    const items = all.slice(offset, offset + limit);
    return {
      repositories: items.map(repositoryView),
      ...pageView({ items, total: all.length, limit, offset }),
    };
  },
});
