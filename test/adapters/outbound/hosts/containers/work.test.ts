import { describe, expect, it } from 'vitest';
import { workArgs } from '../../../../../src/adapters/outbound/hosts/containers/work-args.ts';
import { workOutcome } from '../../../../../src/adapters/outbound/hosts/containers/work-outcome.ts';
import { COMPOSE_WORK } from '../../../../../src/adapters/outbound/hosts/containers/work-script.ts';
import {
  commandBytes,
  MAX_COMMAND_BYTES,
} from '../../../../../src/adapters/outbound/hosts/shell/command-limits.ts';
import type { ComposeOrder } from '../../../../../src/application/ports/compose/container-engine.ts';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;
const place = { project: 'shop', directory: '/srv/my shop', configFiles: ['/srv/a.yml', '/srv/b.yml'] };
const change = { directory: '/srv/my shop', service: 'web', image: 'app:1', from: A, to: B };
const patch = (over: object = {}): Extract<ComposeOrder, { kind: 'patch' }> => ({
  kind: 'patch',
  projects: [{ place, services: [{ change: { ...change, ...over }, imageId: A, containers: 2 }] }],
  prune: true,
});

describe('an order', () => {
  it('is arguments, of which no part can be taken for another', () => {
    expect(workArgs(patch(), 'docker')).toEqual([
      'docker',
      'patch',
      '1',
      '/srv/my shop',
      'shop',
      '2',
      '/srv/b.yml',
      '/srv/a.yml',
      '1',
      'web',
      'app:1',
      `app@${B}`,
      A,
      '2',
      A,
      B,
      '0',
    ]);
    const deploy = {
      kind: 'deploy',
      place,
      services: ['web'],
      images: [change],
      stagedId: 'one-7',
      prune: false,
    } as const;
    expect(workArgs(deploy, 'docker').slice(1, 4)).toEqual(['deploy', '0', 'one-7']);
  });

  it('of a guarded project ends with its paths and the words of its checks, each counted', () => {
    const checks = [
      { service: 'web', kind: 'http', port: 80, path: '/', status: 200, body: 'a b' },
      { service: 'web', kind: 'command', argv: ['test', '-f', '/x'] },
    ] as const;
    const guard = { paths: ['/srv/a b'], checks, observeSeconds: 60 };
    const [project] = patch().projects;
    if (!project) throw new Error('there is one');
    const order = { ...patch(), projects: [{ ...project, guard }] };
    const web = ['6', 'http', 'web', '80', '/', '200', 'a b'];
    const command = ['5', 'command', 'web', 'test', '-f', '/x'];
    expect(workArgs(order, 'docker').slice(16)).toEqual([
      '1',
      '60',
      '1',
      '/srv/a b',
      '13',
      ...web,
      ...command,
    ]);
    const hidden = { ...guard, paths: ['/srv/../etc'] };
    expect(() => workArgs({ ...order, projects: [{ ...project, guard: hidden }] }, 'docker')).toThrow();
  });

  const hostile = ['$(id)', '`id`', '-x', '--file=/etc/passwd', 'a b', 'a\nb', 'a;b', '', "a'b"];
  it.each(hostile)('is refused where a name is %j', (name) => {
    const refused = expect.objectContaining({ code: 'invalid_input' });
    const orders: ComposeOrder[] = [
      patch({ service: name }),
      patch({ image: name }),
      patch({ to: name }),
      { kind: 'stop', place, services: [name] },
      { kind: 'stop', place: { ...place, project: name }, services: [] },
      { kind: 'stop', place: { ...place, directory: `x${name}` }, services: [] },
      { kind: 'stop', place: { ...place, configFiles: [`../${name}`] }, services: [] },
      { kind: 'deploy', place, services: [], images: [], stagedId: `../${name}`, prune: false },
    ];
    for (const order of orders) expect(() => workArgs(order, 'docker')).toThrow(refused);
  });

  it('of as many changes as a job makes fits into a command', () => {
    const services = Array.from({ length: 200 }, (_, index) => ({
      change: {
        ...change,
        service: `service-${index}`,
        image: `registry.example.com/team/app-${index}:1.2.3`,
      },
      imageId: A,
      containers: 1,
    }));
    const args = workArgs({ kind: 'patch', projects: [{ place, services }], prune: false }, 'docker');
    const bytes = args.reduce((sum, each) => sum + commandBytes(each) + 3, 0);
    expect(bytes).toBeLessThan(MAX_COMMAND_BYTES - 5_000);
    expect(COMPOSE_WORK.length).toBeLessThan(64 * 1024);
  });
});

describe('what the work left', () => {
  const told = (...lines: string[]) => `${lines.join('\n')}\n`;

  it('reports what was changed', () => {
    const result = told(
      'project 0 /srv/my shop',
      `changed 0 web app:1 ${A} ${B}`,
      'state 0 done',
      `pruned ${A}`,
    );
    expect(workOutcome({ exitCode: 0, result })).toEqual({
      projects: [{ directory: '/srv/my shop', state: 'done', changes: [change], reason: null }],
      failure: null,
      pruned: [A],
      notes: [],
    });
  });

  it('tells the worst of several projects, and how many others failed', () => {
    const result = told(
      'project 0 /srv/a',
      'why 0 web pull -',
      'state 0 failed',
      'project 1 /srv/b',
      'why 1 db exited 3',
      'state 1 rollback_failed',
    );
    expect(workOutcome({ exitCode: 15, result })).toMatchObject({
      failure: {
        code: 'rollback_failed',
        message:
          '/srv/b: db ended with exit code 3. It could not be rolled back. Check its containers on the host. 1 other project failed too.',
      },
      projects: [{ state: 'failed' }, { state: 'rollback_failed' }],
    });
  });

  it.each([
    [12, 'plan_drifted'],
    [14, 'deploy_failed'],
    [15, 'rollback_failed'],
    [16, 'compose_invalid'],
    [17, 'work_not_started'],
    [127, 'host_tool_missing'],
    [137, 'rollback_failed'],
  ])('by exit code %d is %s', (exitCode, code) => {
    expect(workOutcome({ exitCode, result: '' }).failure).toMatchObject({ code });
  });

  it('counts as not rolled back if it does not say how a project ended', () => {
    expect(workOutcome({ exitCode: 1, result: told('project 0 /srv/a') }).projects).toMatchObject([
      { state: 'rollback_failed' },
    ]);
  });

  it('is plain, whatever stands in it', () => {
    const result = told(
      'project 0 /srv/\u001b[31mred',
      'changed 0 $(id) x y z',
      'why 0 \u0007bell odd',
      'state 9 done',
      'state 0 failed',
    );
    const [project] = workOutcome({ exitCode: 14, result }).projects;
    expect(project).toMatchObject({ changes: [], state: 'failed' });
    expect(JSON.stringify(project)).not.toMatch(/\\u001b|\\u0007/);
  });
});
