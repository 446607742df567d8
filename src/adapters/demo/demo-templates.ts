import { DAY, HOUR, type Instant, MINUTE } from '../../domain/base/instant.ts';
import type { RawTemplate } from '../../domain/compose/template.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { DEPLOY_TIME } from './demo-ends.ts';
import type { DemoJobs, Step } from './demo-jobs.ts';
import { ANN, type DemoPorts } from './demo-ports.ts';

interface DemoTemplate extends RawTemplate {
  readonly compose: string;
  readonly daysAgo: number;
  /** Its first version; absent: it has one only. */
  readonly first?: { readonly compose: string; readonly daysAgo: number };
  /** Servers, and the version that each has. */
  readonly on: Readonly<Record<string, number>>;
}

const uptimeKuma = (restart: string): string => `services:
  uptime-kuma:
    image: louislam/uptime-kuma:@{version}
    restart: ${restart}
    ports:
      - "@{port}:3001"
    volumes:
      - data:/app/data
volumes:
  data:
`;

const TEMPLATES: readonly DemoTemplate[] = [
  {
    name: 'uptime-kuma',
    description: 'Monitors web sites and services, with a status page',
    variables: [
      { name: 'port', type: 'port', description: 'Port of its web page', default: 3001 },
      { name: 'version', type: 'string', description: 'Tag of the image', default: '2' },
    ],
    compose: uptimeKuma('unless-stopped'),
    daysAgo: 6,
    first: { compose: uptimeKuma('always'), daysAgo: 30 },
    on: { 'app-01': 2, 'app-07': 1 },
  },
  {
    name: 'postgres',
    description: 'A PostgreSQL server for one application',
    variables: [
      { name: 'database', type: 'string', description: 'Name of the database and of its owner' },
      { name: 'password', type: 'secret', description: 'Password of the owner' },
    ],
    compose: `services:
  postgres:
    image: postgres:17
    restart: unless-stopped
    environment:
      POSTGRES_USER: "@{database}"
      POSTGRES_PASSWORD: "@{password}"
    volumes:
      - data:/var/lib/postgresql/data
volumes:
  data:
`,
    daysAgo: 28,
    on: {},
  },
  {
    name: 'vaultwarden',
    description: 'Passwords of the team, behind Caddy with its own certificate',
    variables: [
      { name: 'domain', type: 'string', description: 'Host name of its web page' },
      { name: 'signups', type: 'boolean', description: 'Whether visitors may register', default: false },
      { name: 'admin_token', type: 'secret', description: 'Token for its administration page' },
    ],
    compose: `services:
  vaultwarden:
    image: vaultwarden/server:1.34
    restart: unless-stopped
    environment:
      DOMAIN: "https://@{domain}"
      SIGNUPS_ALLOWED: "@{signups}"
      ADMIN_TOKEN: "@{admin_token}"
    volumes:
      - data:/data
  caddy:
    image: caddy:2
    restart: unless-stopped
    command: caddy reverse-proxy --from "@{domain}" --to vaultwarden:80
    ports:
      - "80:80"
      - "443:443"
    volumes:
      - certificates:/data
volumes:
  data:
  certificates:
`,
    daysAgo: 19,
    on: { 'app-04': 1 },
  },
  {
    name: 'node-exporter',
    description: 'Measures of a server for Prometheus',
    variables: [{ name: 'port', type: 'port', description: 'Port for Prometheus', default: 9100 }],
    compose: `services:
  node-exporter:
    image: prom/node-exporter:v1.9.1
    restart: unless-stopped
    pid: host
    ports:
      - "@{port}:9100"
    volumes:
      - /:/host:ro,rslave
    command: --path.rootfs=/host
`,
    daysAgo: 45,
    on: { 'app-01': 1, 'app-02': 1, 'app-05': 1, 'app-06': 1, 'app-08': 1 },
  },
];

/** Templates, each created some weeks ago; one was changed since. */
export async function seedTemplates({ clock, manageTemplates }: DemoPorts, now: Instant): Promise<void> {
  for (const { compose, daysAgo, first, name, description, variables } of TEMPLATES) {
    for (const version of [...(first ? [first] : []), { compose, daysAgo }]) {
      clock.setTo(now - version.daysAgo * DAY);
      const files = [{ path: 'compose.yaml', content: version.compose }];
      await manageTemplates.import(ANN, { name, description, variables }, files);
    }
  }
}

/** Deployed by a user, some hours after the version that it has was written. */
export const deploymentsOf = (
  { deployments, box }: DemoPorts,
  {
    servers,
    jobs,
    now,
  }: { readonly servers: readonly Server[]; readonly jobs: DemoJobs; readonly now: Instant },
): readonly Step[] =>
  TEMPLATES.flatMap(({ name: template, on, daysAgo, first }) =>
    servers.flatMap((server) => {
      const version = on[server.name];
      if (version === undefined) return [];
      const at =
        now - (version === 1 ? (first?.daysAgo ?? daysAgo) : daysAgo) * DAY + 3 * HOUR + server.id * MINUTE;
      const directory = `/srv/compose/${template}`;
      const run = async (): Promise<void> => {
        const { id: jobId } = await jobs.ask({
          server,
          type: 'template_deploy',
          at,
          by: 'user:ann',
          directory,
        });
        await deployments.record(
          {
            serverId: server.id,
            directory,
            project: template,
            templateName: template,
            templateVersion: version,
            values: {},
            secretNames: [],
            files: ['compose.yaml'],
            jobId,
            deployedAt: at + DEPLOY_TIME,
          },
          (id) => box.seal('{}', { table: 'template_deployments', column: 'sealed_secrets', row: id }),
          () => ({}),
        );
      };
      return [{ at, run }];
    }),
  );
