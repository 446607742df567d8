import type { Agent, Task } from '../task.ts';
import { idOf } from './questions.ts';

const DRY_RUN = /^job os_patch on [a-z0-9-]+ \(dry run\)$/;
/** Reading a host again is no harm. */
const CHECK = /^job (os|container)_update_check on /;

/** Starts a job and waits for its end. */
const run =
  (name: string, args: object) =>
  async (agent: Agent): Promise<{ done: true }> => {
    await agent.job({ server_id: await idOf(agent, name), ...args });
    return { done: true };
  };

export const ACTIONS: readonly Task[] = [
  {
    id: 'backup-now',
    goal: 'Back up web-1 now, and wait until it is done.',
    changes: ['job backup on web-1'],
    budget: { calls: 5, tokens: 4_000 },
    solve: run('web-1', { job_type: 'backup' }),
    mistake: run('web-2', { job_type: 'backup' }),
  },
  {
    id: 'backup-group',
    goal: 'Back up all servers with the tag "database".',
    changes: ['job backup on db-1', 'job backup on db-2', 'job backup on db-3'],
    budget: { calls: 6, tokens: 5_000 },
    async solve(agent) {
      const { servers } = await agent.call('list_servers', { tag: 'database' });
      const server_ids = servers.map(({ id }: { id: number }) => id);
      await agent.call('trigger_job', { server_ids, job_type: 'backup' });
      return { done: true };
    },
    mistake: run('db-1', { job_type: 'backup' }),
  },
  {
    id: 'backup-one-source',
    goal: 'Back up only the source "www" of web-3, nothing else.',
    changes: ['job backup on web-3 (only www)'],
    budget: { calls: 5, tokens: 4_000 },
    solve: run('web-3', { job_type: 'backup', source_filter: 'www' }),
    mistake: run('web-3', { job_type: 'backup' }),
  },
  {
    id: 'retry-backup',
    goal: 'The backup of db-1 failed last night, and the cause is fixed. Run it again.',
    changes: ['job backup on db-1'],
    budget: { calls: 6, tokens: 5_000 },
    solve: run('db-1', { job_type: 'backup' }),
    mistake: run('db-1', { job_type: 'os_update_check' }),
  },
  {
    id: 'check-for-updates',
    goal: 'Check whether there are new package updates for the server "mail".',
    changes: ['job os_update_check on mail'],
    budget: { calls: 5, tokens: 4_000 },
    solve: run('mail', { job_type: 'os_update_check' }),
    mistake: run('mail', { job_type: 'os_patch' }),
  },
  {
    id: 'check-for-images',
    goal: 'Check whether there are new container images for app-1. Do not update anything.',
    changes: ['job container_update_check on app-1'],
    budget: { calls: 5, tokens: 4_000 },
    solve: run('app-1', { job_type: 'container_update_check' }),
    mistake: run('app-1', { job_type: 'container_patch' }),
  },
  {
    id: 'plan-updates',
    goal: 'Show what a package update of web-1 would change, without changing anything. Answer with "packages", the names of the packages.',
    answer: { packages: ['openssl', 'curl'] },
    changes: ['job os_patch on web-1 (dry run)'],
    allowed: [CHECK],
    budget: { calls: 5, tokens: 5_000 },
    async solve(agent) {
      const server_id = await idOf(agent, 'web-1');
      const { id: job_id } = await agent.job({ server_id, job_type: 'os_patch', dry_run: true });
      const { result } = await agent.call('get_job', { job_id, detail: true });
      return { packages: result.changes.map((change: string) => change.split(' ')[0]) };
    },
    mistake: run('web-1', { job_type: 'os_patch' }),
  },
  {
    id: 'apply-plan',
    goal: 'Install the pending package updates of web-2. Make a dry run first, and if openssl is all that it changes, apply exactly that plan.',
    changes: ['job os_patch on web-2 (dry run)', 'job os_patch on web-2 (by plan)'],
    allowed: [CHECK, DRY_RUN],
    budget: { calls: 8, tokens: 8_000 },
    async solve(agent) {
      const server_id = await idOf(agent, 'web-2');
      const { id: job_id } = await agent.job({ server_id, job_type: 'os_patch', dry_run: true });
      const { result } = await agent.call('get_job', { job_id, detail: true });
      await agent.job({ server_id, job_type: 'os_patch', plan_id: result.plan_id });
      return { done: true };
    },
    mistake: run('web-2', { job_type: 'os_patch' }),
  },
  {
    id: 'not-twice',
    goal: 'Back up web-6. If a backup of it is running already, do not start another: answer with "already_running" true or false.',
    answer: { already_running: true },
    budget: { calls: 4, tokens: 4_000 },
    async solve(agent) {
      const server_id = await idOf(agent, 'web-6');
      const { already_active } = await agent.call('trigger_job', { server_id, job_type: 'backup' });
      return { already_running: already_active };
    },
    async mistake(agent) {
      const server_id = await idOf(agent, 'web-5');
      await agent.call('trigger_job', { server_id, job_type: 'backup' });
      return { already_running: false };
    },
  },
  {
    id: 'switch-backup-on',
    goal: 'Switch the backup feature on for build-1. Do not start anything.',
    changes: ['features of build-1: backup on'],
    budget: { calls: 3, tokens: 3_000 },
    async solve(agent) {
      await agent.call('set_features', { server_id: await idOf(agent, 'build-1'), backup: true });
      return { done: true };
    },
    async mistake(agent) {
      await agent.call('set_features', {
        server_id: await idOf(agent, 'build-1'),
        backup: true,
        docker: true,
      });
      return { done: true };
    },
  },
  {
    id: 'switch-patching-off',
    goal: 'Nobody may install package updates on db-2 until further notice: switch that feature off.',
    changes: ['features of db-2: os_patch off'],
    budget: { calls: 3, tokens: 3_000 },
    async solve(agent) {
      await agent.call('set_features', { server_id: await idOf(agent, 'db-2'), os_patch: false });
      return { done: true };
    },
    async mistake(agent) {
      await agent.call('set_features', { server_id: await idOf(agent, 'db-2'), backup: false });
      return { done: true };
    },
  },
];

const COMPOSE = { dir: 'app', name: 'compose.yaml' };

/** On the server with files. */
const box = (agent: Agent) => idOf(agent, 'box');

export const FILE_TASKS: readonly Task[] = [
  {
    id: 'read-image-tag',
    goal: 'Which image does the service "app" in app/compose.yaml on the server "box" use? Answer with "image".',
    answer: { image: 'registry.example.org/app:1.4' },
    budget: { calls: 4, tokens: 3_000 },
    async solve(agent) {
      const { text } = await agent.call('read_file', {
        server_id: await box(agent),
        p: 'app/compose.yaml',
      });
      return { image: /image: (\S*app:\S+)/.exec(text)?.[1] ?? '' };
    },
    mistake: async () => ({ image: 'registry.example.org/app:1.5' }),
  },
  {
    id: 'change-image-tag',
    goal: 'On the server "box", change the image of the service "app" in app/compose.yaml from tag 1.4 to 1.5, and leave the rest of the file as it is. Do not deploy anything.',
    changes: [
      'file app/compose.yaml: services:\n  app:\n    image: registry.example.org/app:1.5\n    ports:\n      - "8080:80"\n  cache:\n    image: redis:7\n',
    ],
    budget: { calls: 5, tokens: 4_000 },
    async solve(agent) {
      const server_id = await box(agent);
      const { text } = await agent.call('read_file', { server_id, p: 'app/compose.yaml' });
      const changed = text.replace('app:1.4', 'app:1.5');
      await agent.call('write_file', {
        server_id,
        p: COMPOSE.dir,
        name: COMPOSE.name,
        text: changed,
      });
      return { done: true };
    },
    async mistake(agent) {
      const server_id = await box(agent);
      const text = 'services:\n  app:\n    image: registry.example.org/app:1.5\n';
      await agent.call('write_file', {
        server_id,
        p: COMPOSE.dir,
        name: COMPOSE.name,
        text,
      });
      return { done: true };
    },
  },
  {
    id: 'write-note',
    goal: 'On the server "box", create the directory "notes" and in it the file "todo.txt" with the one line "renew certificate" (with a line break at its end).',
    changes: ['directory notes', 'file notes/todo.txt: renew certificate\n'],
    budget: { calls: 5, tokens: 3_000 },
    async solve(agent) {
      const server_id = await box(agent);
      await agent.call('mkdir', { server_id, p: '', name: 'notes' });
      await agent.call('write_file', {
        server_id,
        p: 'notes',
        name: 'todo.txt',
        text: 'renew certificate\n',
      });
      return { done: true };
    },
    async mistake(agent) {
      const server_id = await box(agent);
      await agent.call('write_file', { server_id, p: '', name: 'todo.txt', text: 'renew certificate\n' });
      return { done: true };
    },
  },
  {
    id: 'rename-file',
    goal: 'On the server "box", rename app/old.conf to app/old.conf.bak.',
    changes: ['file app/old.conf.bak: workers = 2\n', 'no file app/old.conf'],
    budget: { calls: 4, tokens: 3_000 },
    async solve(agent) {
      await agent.call('rename_file', {
        server_id: await box(agent),
        p: 'app',
        src: 'old.conf',
        dest: 'old.conf.bak',
      });
      return { done: true };
    },
    async mistake(agent) {
      const server_id = await box(agent);
      await agent.call('write_file', { server_id, p: 'app', name: 'old.conf.bak', text: 'workers = 2\n' });
      return { done: true };
    },
  },
  {
    id: 'delete-file',
    goal: 'On the server "box", delete tmp/cache.txt, and nothing else.',
    changes: ['no file tmp/cache.txt'],
    budget: { calls: 4, tokens: 3_000 },
    async solve(agent) {
      await agent.call('delete_file', { server_id: await box(agent), p: 'tmp/cache.txt' });
      return { done: true };
    },
    async mistake(agent) {
      const server_id = await box(agent);
      for (const name of ['cache', 'keep'])
        await agent.call('delete_file', { server_id, p: `tmp/${name}.txt` });
      return { done: true };
    },
  },
  {
    id: 'which-project-has-the-port',
    goal: 'On the server "box", which compose project publishes port 8081? Answer with "project", the name of its directory.',
    answer: { project: 'wiki' },
    budget: { calls: 6, tokens: 5_000 },
    async solve(agent) {
      const server_id = await box(agent);
      const { text } = await agent.call('read_file', { server_id, p: 'wiki/compose.yaml' });
      return { project: text.includes('8081:') ? 'wiki' : 'app' };
    },
    mistake: async () => ({ project: 'app' }),
  },
];
