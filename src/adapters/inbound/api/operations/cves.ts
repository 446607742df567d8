import * as z from 'zod';
import { FindCve } from '../../../../application/fleet/find-cve.ts';
import { page as examplePage } from '../examples.ts';
import { line, MAX_WHOLE, pageFields, serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import { cveSchema, cveView } from '../views/cve-view.ts';

export const showCve = operation({
  name: 'show_cve',
  scope: 'read',
  effect: 'reads',
  title: 'Find servers with a CVE',
  description:
    'Lists the servers with a version of a package that a CVE affects, and the version that fixes it, by security data that an administrator imported (drover cve import) and the recorded packages. Does not contact the hosts. known false: the imported data do not name the CVE, so servers may be affected all the same.',
  input: z.strictObject({
    cve: line(40).min(1).describe('Such as CVE-2024-6387'),
    server_id: serverId.optional(),
    ...pageFields(100, MAX_WHOLE),
  }),
  output: cveSchema,
  group: 'Fleet',
  errors: ['server_not_found'],
  examples: [
    {
      title: 'One CVE',
      input: { cve: 'CVE-2024-6387' },
      output: {
        id: 'CVE-2024-6387',
        known: true,
        advisories: ['DSA-5724-1'],
        systems: ['debian:12'],
        packages: [
          {
            server_id: 1,
            server_name: 'web',
            system: 'debian:12',
            name: 'openssh-server',
            version: '1:9.2p1-2+deb12u2',
            source: 'openssh',
            source_version: '1:9.2p1-2+deb12u2',
            fixed_in: '1:9.2p1-2+deb12u3',
          },
        ],
        ...examplePage(1, 100),
      },
    },
  ],
  routes: [{ method: 'GET', path: '/cves/{cve}', status: 200 }],
  async run(useCases, actor, { cve, server_id, limit, offset }) {
    return cveView(await useCases.get(FindCve).execute(actor, cve, { serverId: server_id, limit, offset }));
  },
});
