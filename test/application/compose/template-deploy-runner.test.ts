import { beforeEach, describe, expect, test } from 'vitest';
import { deploymentPlace } from '../../../src/application/compose/template-orders.ts';
import type { JobRequest } from '../../../src/application/jobs/trigger-job.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { MASK } from '../../../src/domain/base/secret-mask.ts';
import { compose, type DeployScene, DIRECTORY, deployScene, PASSWORD } from '../../support/deploy-scene.ts';

let scene: DeployScene;
beforeEach(async () => {
  scene = await deployScene();
  await scene.importTemplate({ 'conf/app.conf': 'port=@{port}\n' });
});

const GOOD = { template: 'demo', variables: { port: 80, password: PASSWORD } };
const NEXT_PASSWORD = 'another long one';

const run = async (asked: Partial<JobRequest>) => scene.run(await scene.ask(asked));
const file = (path: string) => scene.engine.files.get(`${DIRECTORY}/${path}`);
const running = () =>
  scene.engine.containers.of(DIRECTORY, []).map(({ service, image }) => `${service} ${image}`);
/** Everything that is ever shown. */
const told = (...results: unknown[]): string => JSON.stringify([results, scene.lines, scene.kept.audit]);

describe('a deployment', () => {
  test('writes what is rendered, starts it, and is remembered with its secrets encrypted', async () => {
    const done = await run(GOOD);
    expect(done).toMatchObject({
      failure: null,
      summary: `Deployed demo (version 1) to ${DIRECTORY}: 2 files to write, 1 service to change.`,
      result: { dry_run: false, template: 'demo', template_version: 1, project: 'demo', outcome: 'done' },
    });
    expect(JSON.parse(file('compose.yaml') ?? '').services.app.environment).toEqual({
      PASSWORD: PASSWORD.replaceAll('$', '$$$$'),
      PORT: '80',
    });
    expect(file('conf/app.conf')).toBe('port=80\n');
    expect(running()).toEqual(['app app:1']);
    const deployment = await scene.deployments.find(1, DIRECTORY);
    expect(deployment).toMatchObject({
      templateName: 'demo',
      templateVersion: 1,
      project: 'demo',
      values: { port: '80' },
      secretNames: ['password'],
      files: ['compose.yaml', 'conf/app.conf'],
      jobId: 1,
    });
    const place = { table: 'template_deployments', column: 'sealed_secrets', row: deployment?.id ?? 0 };
    expect(scene.box.open(deployment?.sealedSecrets ?? '', place)).toBe(
      JSON.stringify({ password: PASSWORD }),
    );
    expect(scene.kept.actions.at(-1)).toBe('template.deployed deployment:1');
    expect(told(done)).not.toContain('horse');
  });

  test.each([
    ['is', { inside: { path: DIRECTORY, what: 'the data' }, below: [] }],
    [
      'holds',
      {
        inside: null,
        below: [{ path: `${DIRECTORY}/data`, what: 'the data', asked: DIRECTORY, rest: 'data' }],
      },
    ],
  ])('to a directory that %s a place of the service itself is refused', async (_how, found) => {
    const places = { survey: async () => ({ ...found, leftOut: [] }) };
    scene = await deployScene({ places });
    await scene.importTemplate();
    for (const dryRun of [true, false]) {
      const job = await scene.ask({ ...GOOD, dryRun });
      await expect(scene.run(job)).rejects.toMatchObject({ code: 'path_refused' });
    }
    expect(scene.engine.files.size).toBe(0);
  });

  test('to a directory that becomes such a place before the first write is refused', async () => {
    let looks = 0;
    const survey = async () => {
      looks += 1;
      return { inside: looks > 1 ? { path: DIRECTORY, what: 'the data' } : null, below: [], leftOut: [] };
    };
    scene = await deployScene({ places: { survey } });
    await scene.importTemplate();
    await expect(scene.run(await scene.ask(GOOD))).rejects.toMatchObject({ code: 'path_refused' });
    expect(scene.engine.files.size).toBe(0);
  });

  test('that does not become healthy leaves previous files and containers, and is not recorded', async () => {
    await run(GOOD);
    scene.engine.containers.publish('app:sick', 'sick', { healthy: false });
    const before = file('compose.yaml');
    const done = await run({
      ...GOOD,
      variables: { ...GOOD.variables, tag: 'sick', password: NEXT_PASSWORD },
    });
    expect(done).toMatchObject({ failure: { code: 'deploy_failed' }, result: { outcome: 'rolled_back' } });
    expect(file('compose.yaml')).toBe(before);
    expect(running()).toEqual(['app app:1']);
    expect(await scene.deployments.find(1, DIRECTORY)).toMatchObject({ values: { port: '80' }, jobId: 1 });
  });

  test('that compose does not take changes nothing', async () => {
    await scene.importTemplate(
      { 'compose.yaml': '{"services": {"app": {"environment": ["@{port}@{password}@{tag}"]}}}' },
      undefined,
    );
    await expect(run(GOOD)).rejects.toMatchObject({ code: 'compose_invalid' });
    expect(scene.engine.files.size).toBe(0);
  });

  test('is not put over a project that was started from other files', async () => {
    scene.engine.files.set(`${DIRECTORY}/compose.yaml`, '{"services":{"old":{"image":"app:1"}}}');
    const survey = scene.engine.survey.bind(scene.engine);
    scene.engine.survey = async (...args) => {
      const found = await survey(...args);
      const projects = found.projects.map((each) => ({ ...each, configFiles: ['/elsewhere/stack.yml'] }));
      return { ...found, projects };
    };
    await expect(run(GOOD)).rejects.toMatchObject({
      code: 'compose_invalid',
      message: expect.stringContaining('was started from /elsewhere/stack.yml'),
    });
  });

  test('tells no secret, whatever the host says', async () => {
    scene.engine.failure = null;
    const work = scene.engine.perform.bind(scene.engine);
    scene.engine.perform = (order) => {
      work(order);
      const reason = `invalid value "${PASSWORD}" and ${JSON.stringify(PASSWORD)}`;
      return {
        exitCode: 14,
        result: JSON.stringify({
          projects: [{ directory: DIRECTORY, state: 'rolled_back', changes: [], reason }],
          code: 'deploy_failed',
        }),
      };
    };
    const done = await run(GOOD);
    expect(done.failure?.message).toContain(`invalid value "${MASK}" and "${MASK}"`);
    expect(told(done, done.failure?.message)).not.toContain('horse');
  });

  test('taken up by another worker is followed, not started again', async () => {
    const job = await scene.ask(GOOD);
    await scene.run(job);
    const again = await scene.run(job, '{"offset":0}');
    expect(again).toMatchObject({ failure: null, result: { outcome: 'done' } });
    expect(scene.runs.started).toEqual(['here-1']);
  });

  test.each(['has another version', 'is gone'])(
    'taken up when its template %s is reported and recorded as it was started',
    async (what) => {
      const job = await scene.ask(GOOD);
      const first = await scene.run(job);
      const before = await scene.deployments.find(job.serverId, DIRECTORY);
      if (what === 'is gone') await scene.templates.remove('demo', () => ({}));
      else await scene.importTemplate({ 'more.txt': 'more' });
      const taken = await scene.run(job, scene.marks.at(-1));
      const { summary, result, failure } = first;
      expect(taken).toMatchObject({ summary, result, failure });
      expect(taken.result).toMatchObject({
        template_version: 1,
        changes_count: first.result?.['changes_count'],
      });
      expect(scene.runs.started).toEqual(['here-1']);
      const after = await scene.deployments.find(job.serverId, DIRECTORY);
      expect({ ...after, sealedSecrets: '' }).toEqual({ ...before, sealedSecrets: '' });
      expect(scene.box.open(after?.sealedSecrets ?? '', deploymentPlace(after?.id ?? 0))).toContain(
        JSON.stringify(PASSWORD),
      );
    },
  );
});

describe('a dry run', () => {
  const plan = () => run({ ...GOOD, dryRun: true });

  test('shows every file and service, and changes nothing', async () => {
    const done = await plan();
    expect(done).toMatchObject({
      summary: 'Dry run: 2 files to write, 1 service to change. Nothing was changed.',
      result: {
        plan_id: 1,
        changes_count: 3,
        changes: [
          { kind: 'file', path: 'compose.yaml', action: 'create', private: true, before: null },
          {
            kind: 'file',
            path: 'conf/app.conf',
            action: 'create',
            private: false,
            diff: '@@ -0,0 +1 @@\n+port=80\n',
          },
          { kind: 'service', service: 'app', action: 'create', image: 'app:1' },
        ],
      },
    });
    expect(scene.engine.files.size).toBe(0);
    expect(scene.runs.started).toEqual([]);
    expect(told(done)).toContain(`PASSWORD\\": \\"${MASK}`);
    expect(told(done)).not.toContain('horse');
  });

  test('of existing files shows the differences, without previous secrets', async () => {
    await run(GOOD);
    await scene.importTemplate({
      'compose.yaml': compose(['app', 'other']),
      'conf/app.conf': 'port=@{port}\n',
    });
    const edited = (file('compose.yaml') ?? '').replace(
      '"PORT": "80"',
      '"PORT": "80",\n        "API_TOKEN": "hand-written"',
    );
    scene.engine.files.set(
      `${DIRECTORY}/compose.yaml`,
      edited.replace(/"PASSWORD": ".*",/, '"PASSWORD": "changed by hand",'),
    );
    scene.lines.length = 0;
    const done = await run({
      jobType: 'template_redeploy',
      dryRun: true,
      variables: { password: NEXT_PASSWORD },
    });
    const shown = told(done);
    expect(done.result).toMatchObject({
      changes: [
        { path: 'compose.yaml', action: 'change' },
        { service: 'app', action: 'update' },
        { service: 'other', action: 'create' },
      ],
    });
    for (const secret of ['horse', NEXT_PASSWORD, 'changed by hand', 'hand-written']) {
      expect(shown).not.toContain(secret);
    }
    expect(shown).toContain('API_TOKEN');
  });

  test('of what changes nothing says so; of a secret alone, that', async () => {
    await run(GOOD);
    expect((await plan()).result).toMatchObject({ changes_count: 0, changes: [] });
    const done = await run({
      ...GOOD,
      variables: { ...GOOD.variables, password: NEXT_PASSWORD },
      dryRun: true,
    });
    expect(done.result).toMatchObject({
      changes: [
        { path: 'compose.yaml', action: 'change', diff: '' },
        { service: 'app', action: 'update' },
      ],
    });
    expect(scene.lines).toContain('file compose.yaml: change\n(only secret values change)');
  });

  test('tells nothing by which a secret could be tried out', async () => {
    const first = await plan();
    const second = await plan();
    const prints = ({ result }: typeof first) => JSON.stringify(result['changes']).match(/"after":"\w+"/g);
    expect(prints(first)).not.toEqual(prints(second));
    expect(prints(first)).toHaveLength(2);
  });
});

describe('a job by a plan', () => {
  const plan = async () => (await run({ ...GOOD, dryRun: true })).result['plan_id'] as number;

  test('does what it said, with its values', async () => {
    const planId = await plan();
    const done = await run({ planId });
    expect(done).toMatchObject({ failure: null, result: { plan_id: planId, outcome: 'done' } });
    expect(JSON.parse(file('compose.yaml') ?? '').services.app.environment.PORT).toBe('80');
  });

  test.each<[string, () => unknown]>([
    ['a file changed on the host', () => scene.engine.files.set(`${DIRECTORY}/conf/app.conf`, 'mine\n')],
    ['the template changed', () => scene.importTemplate({ 'conf/app.conf': 'port = @{port}\n' })],
    [
      'a service came up meanwhile',
      () =>
        scene.engine.containers.up(DIRECTORY, 'demo', {
          name: 'app',
          image: 'app:1',
          builds: false,
          configHash: null,
        }),
    ],
  ])('does nothing where %s', async (_, drift) => {
    const planId = await plan();
    await drift();
    const done = await run({ planId });
    expect(done).toMatchObject({ failure: { code: 'plan_drifted' }, result: { changes: [] } });
    expect(done.result['drift_count']).toBeGreaterThan(0);
    expect(scene.runs.started).toEqual([]);
    expect(file('compose.yaml')).toBeUndefined();
    expect(told(done)).not.toContain('horse');
  });

  test('has no other values, no other directory, and one use', async () => {
    const planId = await plan();
    await expect(scene.ask({ planId, variables: { port: 81 } })).rejects.toThrow(
      'The plan already has its values',
    );
    await expect(scene.ask({ planId, sourceFilter: '/srv/stacks/other' })).rejects.toMatchObject({
      code: 'plan_not_found',
    });
    await expect(scene.ask({ planId, jobType: 'template_redeploy' })).rejects.toMatchObject({
      code: 'plan_not_found',
    });
    await run({ planId });
    await expect(scene.ask({ planId })).rejects.toMatchObject({ code: 'plan_used' });
    expect(await scene.deployments.findOrder(1)).not.toBeNull();
  });

  test('is refused where the plan is none', async () => {
    const job = await scene.ask(GOOD);
    await scene.run(job);
    await expect(scene.ask({ planId: job.id })).rejects.toMatchObject({ code: 'plan_not_found' });
    await expect(scene.ask({ planId: 4711 })).rejects.toMatchObject({ code: 'plan_not_found' });
  });
});

describe('deploying again', () => {
  const again = (over: Partial<JobRequest> = {}) => run({ jobType: 'template_redeploy', ...over });

  test('takes the newest version of the template and the values of before', async () => {
    await run(GOOD);
    await scene.importTemplate({ 'compose.yaml': compose(['app', 'other']) });
    const done = await again();
    expect(done).toMatchObject({
      failure: null,
      result: {
        template_version: 2,
        notes: ['conf/app.conf is no longer part of demo; it stays on the host.'],
      },
    });
    expect(running()).toEqual(['app app:1', 'other app:1']);
    expect(await scene.deployments.find(1, DIRECTORY)).toMatchObject({
      templateVersion: 2,
      jobId: 2,
      secretNames: ['password'],
      files: ['compose.yaml'],
    });
    expect(file('compose.yaml')).toContain('correct \\"horse\\"');
  });

  test('changes what is given, and keeps that for the next time', async () => {
    await run(GOOD);
    await again({ variables: { tag: '2', password: NEXT_PASSWORD } });
    expect(running()).toEqual(['app app:2']);
    await again();
    expect(file('compose.yaml')).toContain(NEXT_PASSWORD);
    expect(running()).toEqual(['app app:2']);
    expect(await scene.deployments.find(1, DIRECTORY)).toMatchObject({ values: { port: '80', tag: '2' } });
  });

  test('reports values that the template no longer uses, and asks for new ones', async () => {
    await run(GOOD);
    const variables = [
      { name: 'tag', type: 'choice', choices: ['2'], default: '2' },
      { name: 'password', type: 'secret' },
    ] as const;
    const text = compose().replace(/,\s+"PORT": "@\{port\}"/, '');
    await scene.importTemplate({ 'compose.yaml': text }, variables);
    const done = await again();
    expect(done.result['notes']).toContain('The template no longer has a variable port.');
    expect(running()).toEqual(['app app:2']);
    await scene.importTemplate({ 'compose.yaml': text.replace('@{tag}', '@{tag}@{user}') }, [
      ...variables,
      { name: 'user', type: 'string' },
    ]);
    await expect(scene.ask({ jobType: 'template_redeploy' })).rejects.toThrow(
      'The variable user (string) is missing.',
    );
  });

  test('needs its template', async () => {
    await run(GOOD);
    await scene.templates.remove('demo', () => ({}));
    await expect(scene.ask({ jobType: 'template_redeploy' })).rejects.toMatchObject({
      code: 'template_not_found',
    });
  });
});

describe('work that continues on the host', () => {
  test('is followed once its host is reachable again, and although it was cancelled', async () => {
    const job = await scene.ask(GOOD);
    await scene.run(job);
    const survey = scene.engine.survey.bind(scene.engine);
    let tries = 0;
    scene.engine.survey = (...args) => {
      tries += 1;
      if (tries < 3) return Promise.reject(new DomainError('host_unreachable', 'It is gone.'));
      return survey(...args);
    };
    const cancelled = AbortSignal.abort(new DomainError('job_cancelled', 'The job was cancelled.'));
    const taken = scene.run(job, '{"offset":0}', cancelled);
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await scene.clock.advance(60_000);
    }
    expect(await taken).toMatchObject({ failure: null, result: { outcome: 'done' } });
    expect(scene.runs.started).toEqual(['here-1']);
  });

  test('is released if the service stops', async () => {
    const job = await scene.ask(GOOD);
    await scene.run(job);
    const stopping = new DomainError('worker_lost', 'The service is stopping.');
    await expect(scene.run(job, '{"offset":0}', AbortSignal.abort(stopping))).rejects.toBe(stopping);
  });
});
