import * as z from 'zod';
import { SearchPackages } from '../../../../application/fleet/search-packages.ts';
import { page as examplePage } from '../examples.ts';
import { line, MAX_WHOLE, pageFields, serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import { packageSchema, packageView } from '../views/package-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';

export const searchPackages = operation({
  name: 'search_packages',
  scope: 'read',
  effect: 'reads',
  title: 'Search installed packages',
  description:
    'Lists installed packages by name and version over the fleet, or those of one server, as recorded about once an hour. Does not contact the hosts. Give a name, a version or a server. complete false: more than 2,000 different versions match, and the list has some of them; narrow the search.',
  input: z.strictObject({
    name: line(200).min(1).optional().describe('Part of the name, whatever the case'),
    version: line(200).min(1).optional().describe('Part of the version'),
    server_id: serverId.optional(),
    ...pageFields(100, MAX_WHOLE),
  }),
  output: z.strictObject({ packages: z.array(packageSchema), ...pageShape, complete: z.boolean() }),
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'Servers with a version of OpenSSL',
      input: { name: 'openssl', version: '3.0.15' },
      output: {
        packages: [
          {
            server_id: 1,
            server_name: 'web',
            system: 'debian:12',
            name: 'openssl',
            version: '3.0.15-1~deb12u1',
            source: 'openssl',
            source_version: '3.0.15-1~deb12u1',
          },
        ],
        ...examplePage(1, 100),
        complete: true,
      },
    },
  ],
  routes: [{ method: 'GET', path: '/packages', status: 200 }],
  async run(useCases, actor, { name, version, server_id, limit, offset }) {
    const page = await useCases
      .get(SearchPackages)
      .execute(actor, { name, version, serverId: server_id, limit, offset });
    return { packages: page.items.map(packageView), ...pageView(page), complete: page.complete };
  },
});
