import { beforeEach, describe, expect, test } from 'vitest';
import type { JobRequest } from '../../../src/application/jobs/trigger-job.ts';
import { DomainError, InvalidInput } from '../../../src/domain/base/errors.ts';
import { tokenActor } from '../../support/application-scene.ts';
import { type DeployScene, DIRECTORY, deployScene, PASSWORD } from '../../support/deploy-scene.ts';

let scene: DeployScene;
beforeEach(async () => {
  scene = await deployScene();
  await scene.importTemplate();
});

const GOOD = { template: 'demo', variables: { port: 80, password: PASSWORD } };
const code = (expected: string): unknown => expect.objectContaining({ code: expected });

async function problems(asked: Partial<JobRequest>): Promise<readonly string[]> {
  try {
    await scene.ask(asked);
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

describe('asking for a deployment', () => {
  test('keeps the values encrypted, and out of the job and the audit log', async () => {
    const job = await scene.ask(GOOD);
    expect(job).toMatchObject({
      lane: `stack:${DIRECTORY}`,
      params: { sourceFilter: DIRECTORY, template: 'demo', orderId: 1, dryRun: false },
    });
    const order = await scene.deployments.findOrder(1);
    expect(order).toMatchObject({ names: ['port', 'password'] });
    expect(
      scene.box.open(order?.sealedValues ?? '', {
        table: 'template_orders',
        column: 'sealed_values',
        row: 1,
      }),
    ).toBe(JSON.stringify(GOOD.variables));
    expect(JSON.stringify([job, scene.kept.audit])).not.toContain('horse');
  });

  test('has one lane with whatever else is done to the project, however it is written', async () => {
    await scene.ask({ ...GOOD, sourceFilter: '//srv/stacks//demo/' });
    await expect(scene.ask(GOOD)).rejects.toEqual(code('job_already_active'));
    expect(await scene.deployments.findOrder(1)).not.toBeNull();
    expect(await scene.deployments.findOrder(2)).toBeNull();
  });

  test('keeps the values if it is unknown whether the job exists', async () => {
    const { jobs } = scene;
    const enqueue = jobs.enqueue.bind(jobs);
    jobs.enqueue = async (...given) => {
      await enqueue(...given);
      throw new DomainError('database_unavailable', 'The connection broke.');
    };
    await expect(scene.ask(GOOD)).rejects.toEqual(code('database_unavailable'));
    expect((await jobs.find(1))?.params).toMatchObject({ orderId: 1 });
    expect(await scene.deployments.findOrder(1)).not.toBeNull();
  });

  test.each<[string, Partial<JobRequest>, string[]]>([
    ['no template', { variables: {} }, ['/template template_deploy needs the name of a template.']],
    [
      'no directory',
      { ...GOOD, sourceFilter: undefined },
      ['/source_filter template_deploy needs the directory of a Compose project.'],
    ],
    [
      'what is missing, unknown and of another type',
      { template: 'demo', variables: { port: 'http', nope: 1 } },
      [
        '/variables/nope The template demo has no variable "nope".',
        '/variables/port Must be a port from 1 to 65535.',
        '/variables/password The variable password (secret) is missing.',
      ],
    ],
    [
      'a service',
      { ...GOOD, service: 'app' },
      ['/service service is not used by a job of type template_deploy; leave it out.'],
    ],
    [
      'a relative directory',
      { ...GOOD, sourceFilter: 'demo' },
      ['/source_filter Identify the project by its absolute directory on the server, starting with "/".'],
    ],
    [
      'a way out of it',
      { ...GOOD, sourceFilter: '/srv/stacks/../x' },
      ['/source_filter A directory has no "." or ".." parts.'],
    ],
    [
      'another place',
      { ...GOOD, sourceFilter: '/srv/other/demo' },
      ['/source_filter Projects on web must be directly below /srv/stacks.'],
    ],
    [
      'the compose directory itself',
      { ...GOOD, sourceFilter: '/srv/stacks' },
      ['/source_filter Projects on web must be directly below /srv/stacks.'],
    ],
    [
      'one too deep',
      { ...GOOD, sourceFilter: '/srv/stacks/a/b' },
      ['/source_filter Projects on web must be directly below /srv/stacks.'],
    ],
    [
      'a place of the system',
      { ...GOOD, sourceFilter: '/etc/demo' },
      ['/source_filter A project cannot be at or below /etc.'],
    ],
    [
      'a name that compose would not take',
      { ...GOOD, sourceFilter: '/srv/stacks/De mo' },
      ["/source_filter A project's directory can contain only letters, digits and ._+@-."],
    ],
    [
      'a name with capitals',
      { ...GOOD, sourceFilter: '/srv/stacks/Demo' },
      [
        '/source_filter The last part of the directory is the project name: up to 63 lower-case letters, digits, - and _.',
      ],
    ],
  ])('is refused with %s', async (_, asked, expected) => {
    expect(await problems(asked)).toEqual(expected);
    expect(await scene.deployments.findOrder(1)).toBeNull();
  });

  test('is refused for what is not there', async () => {
    await expect(scene.ask({ ...GOOD, template: 'other' })).rejects.toEqual(code('template_not_found'));
    await expect(scene.ask({ jobType: 'template_redeploy' })).rejects.toEqual(code('deployment_not_found'));
    expect(await problems({ ...GOOD, jobType: 'template_redeploy' })).toEqual([
      '/template template is not used by a job of type template_redeploy; leave it out.',
    ]);
  });

  test('is refused in the promised order: capability, feature, server, host flag, and then the rest', async () => {
    const nonsense = { template: 'other', sourceFilter: 'x' };
    const actor = { features: ['docker' as const], serverIds: new Set([1]) };
    await expect(scene.ask(nonsense, tokenActor({ ...actor, capabilities: ['read'] }))).rejects.toEqual(
      code('scope_missing'),
    );
    await expect(scene.ask(nonsense, tokenActor({ features: ['os'] }))).rejects.toEqual(
      code('feature_not_allowed'),
    );
    await expect(scene.ask(nonsense, tokenActor({ serverIds: new Set([2]) }))).rejects.toEqual(
      code('server_not_found'),
    );
    await scene.servers.setFeatures(1, { docker: false }, 0, () => ({}));
    await expect(scene.ask(nonsense, tokenActor(actor))).rejects.toEqual(code('feature_disabled'));
  });

  test('waits for its turn, and for a person where the token has to ask one', async () => {
    const job = await scene.ask(GOOD, tokenActor({ requireApproval: true }));
    expect(job.status).toBe('awaiting_approval');
    expect(await scene.deployments.findOrder(1)).not.toBeNull();
  });

  test('a server without a compose directory says what to do', async () => {
    const bare = await scene.addServer('bare', { docker: true }, 'ssh');
    expect(await problems({ ...GOOD, serverId: bare.id })).toEqual([
      '/source_filter bare has no Compose directory yet; set one with `drover server edit 2 --compose-dir DIRECTORY`.',
    ]);
  });
});
