import type { Agent, Task } from '../task.ts';

const names = (servers: readonly { readonly name: string }[]): string[] => servers.map(({ name }) => name);

/** The ids of servers by their names. */
export async function idOf(agent: Agent, name: string): Promise<number> {
  const { servers } = await agent.call('list_servers', { q: name });
  return servers.find((each: { name: string }) => each.name === name)?.id ?? 0;
}

export const QUESTIONS: readonly Task[] = [
  {
    id: 'reboot-needed',
    goal: 'Which servers need a reboot? List their names in "servers".',
    answer: { servers: ['web-2', 'app-1', 'mail'] },
    budget: { calls: 2, tokens: 2_500 },
    solve: async (agent) => ({
      servers: names((await agent.call('list_servers', { needs: 'reboot' })).servers),
    }),
    mistake: async () => ({ servers: ['web-2', 'mail'] }),
  },
  {
    id: 'security-updates',
    goal: 'Which servers have security updates pending? List their names in "servers".',
    answer: { servers: ['web-1', 'web-2', 'app-1'] },
    budget: { calls: 2, tokens: 2_500 },
    solve: async (agent) => ({
      servers: names((await agent.call('list_servers', { needs: 'security_updates' })).servers),
    }),
    mistake: async (agent) => ({
      servers: names((await agent.call('list_servers', { needs: 'updates' })).servers),
    }),
  },
  {
    id: 'unreachable',
    goal: 'Which servers could not be reached the last time? List their names in "servers".',
    answer: { servers: ['gate-2', 'pi-1'] },
    budget: { calls: 2, tokens: 2_500 },
    solve: async (agent) => ({
      servers: names((await agent.call('list_servers', { needs: 'unreachable' })).servers),
    }),
    mistake: async () => ({ servers: [] }),
  },
  {
    id: 'backup-missing',
    goal: 'Which servers that should be backed up have no fresh backup? List their names in "servers".',
    answer: { servers: ['db-1', 'nas'] },
    budget: { calls: 2, tokens: 2_500 },
    solve: async (agent) => ({
      servers: names((await agent.call('list_servers', { needs: 'backup' })).servers),
    }),
    mistake: async () => ({ servers: ['db-1'] }),
  },
  {
    id: 'image-updates',
    goal: 'On which servers does a container have a newer image? List the names of the servers in "servers".',
    answer: { servers: ['web-5', 'app-4'] },
    budget: { calls: 2, tokens: 2_500 },
    solve: async (agent) => ({
      servers: names((await agent.call('list_servers', { needs: 'image_updates' })).servers),
    }),
    mistake: async () => ({ servers: ['web-5'] }),
  },
  {
    id: 'tagged-database',
    goal: 'Which servers have the tag "database"? List their names in "servers".',
    answer: { servers: ['db-1', 'db-2', 'db-3'] },
    budget: { calls: 2, tokens: 2_500 },
    solve: async (agent) => ({
      servers: names((await agent.call('list_servers', { tag: 'database' })).servers),
    }),
    mistake: async (agent) => ({
      servers: names((await agent.call('list_servers', { tag: 'production' })).servers),
    }),
  },
  {
    id: 'fleet-size',
    goal: 'How many servers are there, and how many of them have updates pending? Answer with "servers" and "with_updates".',
    answer: { servers: 24, with_updates: 6 },
    budget: { calls: 2, tokens: 2_000 },
    async solve(agent) {
      const { hosts, os_updates } = await agent.call('summary');
      return { servers: hosts, with_updates: os_updates };
    },
    mistake: async (agent) => ({
      servers: (await agent.call('summary')).hosts,
      with_updates: (await agent.call('summary')).security_updates,
    }),
  },
  {
    id: 'disk-of-nas',
    goal: 'Is the disk on the server "nas" that holds the shares (/srv) full? Answer with "percent", the share of it in use, rounded to a whole number.',
    answer: { percent: 93 },
    budget: { calls: 3, tokens: 3_000 },
    async solve(agent) {
      const { hosts } = await agent.call('inventory', { server_id: await idOf(agent, 'nas') });
      const { total_bytes, used_bytes } = hosts[0].disks.find(
        (each: { mount: string }) => each.mount === '/srv',
      );
      return { percent: Math.round((used_bytes / total_bytes) * 100) };
    },
    async mistake(agent) {
      const { servers } = await agent.call('list_servers', { q: 'nas' });
      return { percent: Math.round((servers[0].disk_used_bytes / servers[0].disk_total_bytes) * 100) };
    },
  },
  {
    id: 'operating-system',
    goal: 'Which operating system does db-2 run, and which kernel? Answer with "os" (its full name with version) and "kernel".',
    answer: { os: 'AlmaLinux 9.5 (Teal Serval)', kernel: '5.14.0-503.15.1.el9_5.x86_64' },
    budget: { calls: 3, tokens: 3_000 },
    async solve(agent) {
      const { hosts } = await agent.call('inventory', { server_id: await idOf(agent, 'db-2') });
      return { os: hosts[0].os_pretty, kernel: hosts[0].kernel };
    },
    mistake: async () => ({ os: 'AlmaLinux', kernel: '5.14' }),
  },
  {
    id: 'openssl-on-web-1',
    goal: 'Which version of openssl is installed on web-1, and which one is available? Answer with "installed" and "available".',
    answer: { installed: '3.0.14-1', available: '3.0.15-1' },
    budget: { calls: 3, tokens: 3_000 },
    async solve(agent) {
      const { hosts } = await agent.call('inventory', { server_id: await idOf(agent, 'web-1') });
      const { from, to } = hosts[0].updates.find((each: { name: string }) => each.name === 'openssl');
      return { installed: from, available: to };
    },
    mistake: async () => ({ installed: '3.0.15-1', available: '3.0.15-1' }),
  },
  {
    id: 'openssl-everywhere',
    goal: 'An advisory asks for openssl 3.0.15. On which servers does this update wait? List their names in "servers".',
    answer: { servers: ['web-1', 'web-2', 'app-1'] },
    budget: { calls: 4, tokens: 5_000 },
    async solve(agent) {
      const { hosts } = await agent.call('inventory', { package: 'openssl' });
      return { servers: names(hosts) };
    },
    mistake: async () => ({ servers: ['web-1'] }),
  },
  {
    id: 'broken-services',
    goal: 'Which containers and systemd units are broken? Answer with "services", a list of objects with "server" and "name".',
    answer: {
      services: [
        { server: 'web-3', name: 'shop-app-1' },
        { server: 'app-3', name: 'api-worker-1' },
        { server: 'mail', name: 'postfix.service' },
      ],
    },
    budget: { calls: 2, tokens: 2_500 },
    async solve(agent) {
      const { services } = await agent.call('services', { state: 'failed' });
      return {
        services: services.map((each: { server_name: string; label: string }) => ({
          server: each.server_name,
          name: each.label,
        })),
      };
    },
    mistake: async () => ({ services: [{ server: 'mail', name: 'postfix.service' }] }),
  },
  {
    id: 'why-did-it-fail',
    goal: 'Why did the last backup of db-1 fail? Answer with "code", the error code of that job.',
    answer: { code: 'source_missing' },
    budget: { calls: 3, tokens: 3_500 },
    async solve(agent) {
      const { jobs } = await agent.call('list_jobs', { server_id: await idOf(agent, 'db-1'), limit: 1 });
      return { code: jobs[0].error_code };
    },
    mistake: async () => ({ code: 'host_unreachable' }),
  },
  {
    id: 'running-now',
    goal: 'Which jobs are running right now? Answer with "jobs", a list of objects with "server" and "type" (the job type).',
    answer: { jobs: [{ server: 'web-6', type: 'backup' }] },
    budget: { calls: 2, tokens: 2_500 },
    async solve(agent) {
      const { jobs } = await agent.call('list_jobs', { status_filter: 'running' });
      return {
        jobs: jobs.map((each: { server_name: string; job_type: string }) => ({
          server: each.server_name,
          type: each.job_type,
        })),
      };
    },
    mistake: async () => ({ jobs: [] }),
  },
  {
    id: 'who-patched',
    goal: 'Who started the last package update on app-2, and how did it end? Answer with "requested_by" and "status".',
    answer: { requested_by: 'user:ann', status: 'success' },
    budget: { calls: 3, tokens: 3_000 },
    async solve(agent) {
      const { jobs } = await agent.call('list_jobs', { server_id: await idOf(agent, 'app-2'), limit: 5 });
      const job = jobs.find((each: { job_type: string }) => each.job_type === 'os_patch');
      return { requested_by: job.requested_by, status: job.status };
    },
    mistake: async () => ({ requested_by: 'user:bob', status: 'success' }),
  },
  {
    id: 'what-may-i-do',
    goal: 'What is the token of this connection allowed to do? Answer with "scopes".',
    token: { scopes: ['read', 'files'] },
    answer: { scopes: ['read', 'files'] },
    budget: { calls: 1, tokens: 500 },
    solve: async (agent) => ({ scopes: (await agent.call('health')).scopes }),
    mistake: async () => ({ scopes: ['read'] }),
  },
];
