import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  ComposeOrder,
  ComposeOutcome,
  ComposeWork,
  ContainerEngine,
  ContainerSurvey,
  EngineKind,
} from '../../src/application/ports/compose/container-engine.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type { ComposeProject, ProjectPlace } from '../../src/domain/compose/compose.ts';
import { loggedLines } from '../../src/domain/compose/container-log.ts';

/** `v1` and `v2` become healthy, `broken` does not. */
export type Edition = 'v1' | 'v2' | 'broken';

/** A host with an engine and compose, and a registry that it may pull from. */
export interface ContainerEngineSubject {
  readonly engine: ContainerEngine;
  readonly kind: EngineKind;
  readonly host: RemoteHost;
  /** No longer there. */
  readonly gone: RemoteHost;
  /** A reference in the registry by a short name. */
  image(name: string): string;
  /** Lets the registry have an edition under that reference; gives its digest there. */
  publish(reference: string, edition: Edition): Promise<string>;
  write(path: string, content: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Compose's `up` in that directory, as by a user of the host. */
  up(directory: string): Promise<void>;
  /**
   * Runs a container of an image with the labels of the service web of that project, and this many bytes of others.
   */
  pose(project: string, directory: string, bytes: number): Promise<void>;
  /** Runs the work as the host would. */
  perform(work: ComposeWork): Promise<{ readonly exitCode: number; readonly result: string }>;
  /** No containers, no projects, and none of the images that the tests use. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const ROOT = '/srv/stacks';
const SHOP = `${ROOT}/shop`;

/** JSON is YAML, and needs no separate writer. */
const composeFile = (services: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    services: Object.fromEntries(Object.entries(services).map(([name, image]) => [name, { image }])),
  });

/** Every `ContainerEngine` does this. */
export function containerEngineContract(
  name: string,
  makeSubject: () => Promise<ContainerEngineSubject>,
): void {
  describe(`ContainerEngine: ${name}`, () => {
    let subject: ContainerEngineSubject;
    const { signal } = new AbortController();
    let options: { readonly engine: EngineKind; readonly signal: AbortSignal };
    let app: string;

    beforeAll(async () => {
      subject = await makeSubject();
      app = subject.image('app');
      options = { engine: subject.kind, signal };
    });
    beforeEach(() => subject.reset());
    afterAll(() => subject.close());

    const survey = (directories: readonly string[] = []): Promise<ContainerSurvey> =>
      subject.engine.survey(subject.host, { directories, signal });
    const project = async (): Promise<ComposeProject> => {
      const { projects } = await survey([ROOT]);
      const found = projects.find(({ directory }) => directory === SHOP);
      if (!found) throw new Error('the project is there');
      return found;
    };
    const runs = async () =>
      (await project()).services.map((each) => [each.name, each.imageId, each.running]);
    const perform = async (order: ComposeOrder): Promise<ComposeOutcome> =>
      subject.engine.outcome(await subject.perform(subject.engine.work(order, subject.kind)));

    /** The project `shop` with services web and db, both of v1; gives v1's digest. */
    async function shop(): Promise<string> {
      const digest = await subject.publish(app, 'v1');
      await subject.write(`${SHOP}/compose.yaml`, composeFile({ web: app, db: app }));
      await subject.up(SHOP);
      return digest;
    }

    async function patchOf(to: string): Promise<Extract<ComposeOrder, { kind: 'patch' }>> {
      const place = await project();
      const web = place.services.find((each) => each.name === 'web');
      const change = { directory: SHOP, service: 'web', image: app, from: null, to };
      const patch = { change, imageId: web?.imageId ?? '', containers: web?.containers ?? 0 };
      return { kind: 'patch', projects: [{ place, services: [patch] }], prune: false };
    }

    it('reads the end of the log of a container, and of none that is not there', async () => {
      await shop();
      const [container] = (await survey()).containers;
      const logs = (of: string) => subject.engine.logs(subject.host, of, { ...options, lines: 2 });
      const text = await logs(container?.name ?? '');
      expect(text.split('\n').length).toBeLessThanOrEqual(3);
      for (const { stamp } of loggedLines(text)) expect(stamp).not.toBeNull();
      const since = '2099-01-01T00:00:00.000000000Z';
      const none = { ...options, lines: 2, since };
      expect(await subject.engine.logs(subject.host, container?.name ?? '', none)).toBe('');
      for (const wrong of ['nothing-here', '--help', 'a;b', '']) {
        await expect(logs(wrong)).rejects.toMatchObject({ code: 'not_found' });
      }
    });

    it('finds what runs, by project and service, and the digest that its image came by', async () => {
      const digest = await shop();
      const found = await survey();
      expect(found.engine).toBe(subject.kind);
      expect(found.projects).toMatchObject([
        {
          project: 'shop',
          directory: SHOP,
          configFiles: [`${SHOP}/compose.yaml`],
          problem: null,
          services: expect.arrayContaining([
            expect.objectContaining({ name: 'web', image: app, containers: 1, running: 1 }),
          ]),
        },
      ]);
      const web = found.projects[0]?.services.find((each) => each.name === 'web');
      expect(found.images.get(web?.imageId ?? '')?.repoDigests).toContainEqual(
        expect.stringMatching(new RegExp(`@${digest}$`)),
      );
      expect(found.containers).toContainEqual(
        expect.objectContaining({ directory: SHOP, service: 'web', image: app, imageId: web?.imageId }),
      );
    });

    it('takes no container for a member whose image brings the labels, however many it brings', async () => {
      await shop();
      // more than was ever read of all images, and less than the 4 MiB that podman takes of a configuration
      await subject.pose('shop', SHOP, 4_050_000);
      const { projects, notes } = await survey();
      const members = projects.flatMap(({ directory, services }) =>
        services.map((each) => `${directory} ${each.name} ${each.containers}`),
      );
      expect(members.toSorted()).toEqual([`${SHOP} db 1`, `${SHOP} web 1`]);
      expect(notes).toContainEqual(expect.stringMatching(/posing was skipped: its image claims/));
    });

    it('finds projects without containers in the given directories, and nowhere else', async () => {
      await subject.write(`${SHOP}/compose.yaml`, composeFile({ web: app }));
      expect((await survey()).projects).toEqual([]);
      for (const directory of [ROOT, SHOP]) {
        expect((await survey([directory])).projects).toMatchObject([{ directory: SHOP, services: [] }]);
      }
    });

    it("asks the registry for a reference's digest, and says why if it does not know", async () => {
      await subject.publish(app, 'v1');
      const digest = await subject.publish(app, 'v2');
      const missing = subject.image('missing');
      const answers = await subject.engine.registryDigests(subject.host, [app, missing], options);
      expect(answers.get(app)).toEqual({ digest });
      expect(answers.get(missing)).toEqual({ digest: null, reason: expect.stringMatching(/\.$/) });
    });

    it('reads files as compose does, and says what compose says against them', async () => {
      await subject.publish(app, 'v1');
      await subject.write(`${SHOP}/compose.yaml`, composeFile({ web: app }));
      const place: ProjectPlace = { project: null, directory: SHOP, configFiles: [] };
      expect(await subject.engine.definition(subject.host, place, options)).toMatchObject({
        project: 'shop',
        services: [{ name: 'web', image: app, builds: false }],
      });
      await subject.write(`${SHOP}/compose.yaml`, '{"services": {"web": {}}}');
      await expect(subject.engine.definition(subject.host, place, options)).rejects.toMatchObject({
        code: 'compose_invalid',
        message: expect.stringContaining('web'),
      });
    });

    it('reads files that are not there yet as if they were, and leaves nothing', async () => {
      const place: ProjectPlace = { project: null, directory: SHOP, configFiles: [] };
      const files = [{ name: 'compose.yaml', content: composeFile({ web: app }), secret: false }];
      expect(await subject.engine.definitionOf(subject.host, place, files, options)).toMatchObject({
        project: 'shop',
        services: [{ name: 'web', image: app }],
      });
      expect(await subject.engine.readFiles(subject.host, SHOP, ['compose.yaml'], { signal })).toEqual(
        new Map(),
      );
    });

    it('gives one service another image, and no other', async () => {
      await shop();
      const to = await subject.publish(app, 'v2');
      const order = await patchOf(to);
      const before = await project();
      expect(await perform(order)).toMatchObject({
        failure: null,
        projects: [
          { directory: SHOP, state: 'done', reason: null, changes: [{ service: 'web', image: app, to }] },
        ],
      });
      const after = await project();
      const imageOf = ({ services }: ComposeProject, service: string) =>
        services.find((each) => each.name === service)?.imageId;
      expect(imageOf(after, 'web')).not.toBe(imageOf(before, 'web'));
      expect(imageOf(after, 'db')).toBe(imageOf(before, 'db'));
    });

    it('rolls back what does not become healthy: all is as it was', async () => {
      await shop();
      const order = await patchOf(await subject.publish(app, 'broken'));
      const before = await runs();
      expect(await perform(order)).toMatchObject({
        failure: { code: 'deploy_failed', message: expect.stringContaining('web') },
        projects: [{ directory: SHOP, state: 'rolled_back', changes: [], reason: expect.any(String) }],
      });
      expect(await runs()).toEqual(before);
    });

    it('changes nothing where an image cannot be pulled', async () => {
      await shop();
      const order = await patchOf(`sha256:${'0'.repeat(64)}`);
      const before = await runs();
      expect(await perform(order)).toMatchObject({
        failure: { code: 'deploy_failed' },
        projects: [{ state: 'failed', changes: [] }],
      });
      expect(await runs()).toEqual(before);
    });

    it('does nothing where another image runs by now', async () => {
      await shop();
      const order = await patchOf(await subject.publish(app, 'v2'));
      await perform(order);
      const before = await runs();
      expect(await perform(order)).toMatchObject({ failure: { code: 'plan_drifted' }, projects: [] });
      expect(await runs()).toEqual(before);
    });

    it('removes what was replaced where it is asked to, and what is still used never', async () => {
      await shop();
      const order = await patchOf(await subject.publish(app, 'v2'));
      // db still runs the previous image
      expect((await perform({ ...order, prune: true })).pruned).toEqual([]);
    });

    const deploy = (changes: Partial<Extract<ComposeOrder, { kind: 'deploy' }>>): ComposeOrder => ({
      kind: 'deploy',
      place: { project: null, directory: SHOP, configFiles: [] },
      services: [],
      images: [],
      stagedId: null,
      prune: false,
      ...changes,
    });
    const stage = (content: string): Promise<void> =>
      subject.engine.stage(subject.host, 'run-1', [{ name: 'compose.yaml', content, secret: false }], {
        signal,
      });

    it('deploys a project from files that were staged', async () => {
      await subject.publish(app, 'v1');
      await stage(composeFile({ web: app }));
      expect(await perform(deploy({ stagedId: 'run-1' }))).toMatchObject({
        failure: null,
        projects: [{ directory: SHOP, state: 'done' }],
      });
      expect(await subject.read(`${SHOP}/compose.yaml`)).toBe(composeFile({ web: app }));
      expect(await project()).toMatchObject({ services: [{ name: 'web', running: 1 }] });
    });

    it('restores previous files and containers if the new ones do not become healthy', async () => {
      await shop();
      const bad = subject.image('bad');
      await subject.publish(bad, 'broken');
      const [before, file] = [await runs(), await subject.read(`${SHOP}/compose.yaml`)];
      await stage(composeFile({ web: bad, db: app }));
      expect(await perform(deploy({ stagedId: 'run-1' }))).toMatchObject({
        failure: { code: 'deploy_failed' },
        projects: [{ state: 'rolled_back', changes: [] }],
      });
      expect(await subject.read(`${SHOP}/compose.yaml`)).toBe(file);
      expect(await runs()).toEqual(before);
    });

    it('leaves a project alone whose new files compose does not accept', async () => {
      await shop();
      const [before, file] = [await runs(), await subject.read(`${SHOP}/compose.yaml`)];
      await stage('{"services": {"web": {}}}');
      expect(await perform(deploy({ stagedId: 'run-1' }))).toMatchObject({
        failure: { code: 'compose_invalid' },
        projects: [{ state: 'failed' }],
      });
      expect(await subject.read(`${SHOP}/compose.yaml`)).toBe(file);
      expect(await runs()).toEqual(before);
    });

    it('stops, starts and restarts, all or one service', async () => {
      await shop();
      const running = async () =>
        (await runs()).map(([service, , count]) => `${service} ${count}`).toSorted();
      const act = async (kind: 'stop' | 'start' | 'restart', services: readonly string[] = []) =>
        perform({ kind, place: await project(), services });
      expect(await act('stop', ['web'])).toMatchObject({ failure: null });
      expect(await running()).toEqual(['db 1', 'web 0']);
      await act('stop');
      expect(await running()).toEqual(['db 0', 'web 0']);
      expect(await act('start')).toMatchObject({ failure: null, projects: [{ state: 'done' }] });
      expect(await running()).toEqual(['db 1', 'web 1']);
      expect(await act('restart', ['db'])).toMatchObject({ failure: null });
      expect(await running()).toEqual(['db 1', 'web 1']);
    });

    it('says that a host is gone', async () => {
      const code = expect.stringMatching(/^host_(unreachable|connection_lost|timeout)$/);
      const asking = subject.engine.survey(subject.gone, { directories: [], signal });
      await expect(asking).rejects.toMatchObject({ code });
    });
  });
}
