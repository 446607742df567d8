import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSurvey } from '../../../../../src/adapters/outbound/hosts/containers/survey.ts';
import type { Section } from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import { isDomainError } from '../../../../../src/domain/base/errors.ts';
import { hostileText } from '../../../../support/hostile-text.ts';

const ID = `sha256:${'a'.repeat(64)}`;
const SHOP = '/srv/shop';

/** A line as the engine prints it for a container of the project shop. */
const line = (
  over: Partial<Record<'name' | 'image' | 'state' | 'project' | 'dir' | 'files' | 'service', unknown>> = {},
) =>
  JSON.stringify([
    over.name ?? '/shop-web-1',
    over.image ?? 'app:1',
    ID,
    over.state ?? 'running',
    'healthy',
    over.project ?? 'shop',
    over.dir ?? SHOP,
    over.files ?? `${SHOP}/compose.yaml`,
    over.service ?? 'web',
    'False',
    'hash',
    '2.26.1',
  ]);

const sections = (containers: string, images = JSON.stringify([ID, ['app@sha256:x'], false]), listed = '') =>
  new Map<string, Section>(
    Object.entries({ engine: 'docker', containers, images, listed }).map(([name, text]) => [
      name,
      { text, exitCode: 0 },
    ]),
  );

/** podman 5.4.2 and docker-compose 2.26.1 of Debian 13, as they printed it. */
const PODMAN = {
  engine: 'podman',
  containers:
    '["shop-web-1","localhost:5000/app:1","5afbef080e877ce67496e232ab076d53d30c1e8fad448d6107887179a7283869","exited","","shop","/srv/stacks/shop","/srv/stacks/shop/compose.yaml","web","False","d17865ef4877faed02fb2fd5630af38871fb0ec126cc57174d0cdd773983ca18","2.26.1"]\n',
  images:
    '["5afbef080e877ce67496e232ab076d53d30c1e8fad448d6107887179a7283869",["localhost:5000/app@sha256:6ac0b2cf7882fb42620b0d7b8214ef0dfd1e964f6c6624c5e9b7ae5349ed51c9"],false]\n',
};

describe('what a host says of its containers', () => {
  it('is read of podman too, whose ids are digits alone', () => {
    const survey = readSurvey(
      new Map<string, Section>(Object.entries(PODMAN).map(([name, text]) => [name, { text, exitCode: 0 }])),
    );
    const id = 'sha256:5afbef080e877ce67496e232ab076d53d30c1e8fad448d6107887179a7283869';
    expect(survey.projects).toMatchObject([
      {
        project: 'shop',
        directory: '/srv/stacks/shop',
        services: [{ name: 'web', image: 'localhost:5000/app:1', imageId: id, containers: 1, running: 0 }],
      },
    ]);
    const digest = 'sha256:6ac0b2cf7882fb42620b0d7b8214ef0dfd1e964f6c6624c5e9b7ae5349ed51c9';
    expect(JSON.stringify([...survey.images])).toContain(`localhost:5000/app@${digest}`);
    expect(JSON.stringify([...survey.images])).toContain(id);
  });

  it('becomes projects with their services', () => {
    const two = [line(), line({ name: '/shop-web-2', state: 'exited' }), line({ service: 'db' })].join('\n');
    expect(readSurvey(sections(two)).projects).toEqual([
      {
        project: 'shop',
        directory: SHOP,
        configFiles: [`${SHOP}/compose.yaml`],
        problem: null,
        services: [
          expect.objectContaining({ name: 'db', containers: 1, running: 1 }),
          {
            name: 'web',
            image: 'app:1',
            imageId: ID,
            containers: 2,
            running: 1,
            health: 'healthy',
            configHash: 'hash',
            composeVersion: '2.26.1',
          },
        ],
      },
    ]);
  });

  const hostile = ['$(reboot)', '`id`', '-v/:/host', '--privileged', 'a b', 'x\ny', ';id', '', '../x', 'ü'];
  it.each(hostile)('is left out where a name is %j', (name) => {
    for (const over of [{ project: name }, { service: name }, { dir: name }, { dir: `/srv/${name}/..` }]) {
      const survey = readSurvey(sections(line(over)));
      expect(survey.projects.filter(({ services }) => services.length > 0)).toEqual([]);
    }
  });

  it('is not believed where the labels come with the image', () => {
    const images = JSON.stringify([ID, [], true]);
    const survey = readSurvey(sections(line(), images));
    expect(survey.projects).toEqual([]);
    expect(survey.notes).toEqual([expect.stringContaining('its image claims')]);
    expect(survey.containers).toMatchObject([{ directory: null }]);
  });

  it.each([
    ['is missing', ''],
    ['is cut off in the middle', JSON.stringify([ID, [], false]).slice(0, -4)],
    ['comes after too much of others', 'x'.repeat(4_000_000)],
    ['is of another form', JSON.stringify([ID, [], null])],
  ])('is not believed where what it says of the image %s', (_what, images) => {
    const survey = readSurvey(sections(line(), images));
    expect(survey.projects).toEqual([]);
    expect(survey.notes).toContainEqual(expect.stringContaining('could not be read'));
    expect(survey.containers).toMatchObject([{ name: 'shop-web-1', directory: null, service: null }]);
  });

  it('is not believed where the list of compose files was cut', () => {
    const files = `${SHOP}/compose.yaml,`.repeat(2_000).slice(0, 20_000);
    expect(readSurvey(sections(line({ files }))).projects).toEqual([]);
  });

  it('gives no project that podman-compose made, and says so', () => {
    // Its labels as podman-compose 1.0.3 of Debian 12 wrote them.
    const labels = ['shop', SHOP, 'compose.yaml', 'web', null, null, null];
    const made = JSON.stringify(['shop_web_1', 'localhost:5000/app:1', ID, 'running', '', ...labels]);
    expect(readSurvey(sections(made)).projects).toMatchObject([
      { directory: SHOP, problem: expect.stringContaining('podman-compose') },
    ]);
  });

  it('gives no project whose files are named by more than plain paths', () => {
    for (const files of ['compose.yaml', '/srv/a\n/etc/b', '/srv/../etc/x', '-']) {
      expect(readSurvey(sections(line({ files }))).projects).toMatchObject([{ problem: expect.any(String) }]);
    }
  });

  it('gives no project that two claim', () => {
    const two = [line(), line({ project: 'other', service: 'db' })].join('\n');
    expect(readSurvey(sections(two)).projects).toMatchObject([
      { problem: expect.stringContaining('several') },
    ]);
  });

  it('cannot smuggle in a path by a line break in a directory', () => {
    const listed = '/srv/a\n/etc/evil/compose.yaml\0/srv/b/compose.yaml\0';
    expect(
      readSurvey(sections(line({ service: '-' }), '', listed)).projects.map(({ directory }) => directory),
    ).toEqual(['/srv/b']);
  });

  it('is cut short where it is too long, and says so', () => {
    const many = Array.from({ length: 1_500 }, (_, index) =>
      line({ name: `/c${index}`, dir: `/srv/${index}` }),
    );
    const survey = readSurvey(sections(many.join('\n')));
    expect([survey.containers.length, survey.projects.length]).toEqual([1_000, 200]);
    expect(survey.notes).toHaveLength(2);
  });

  it('is plain and bounded, or refused, whatever it is', () => {
    const real = [line(), line({ service: 'db' })].join('\n');
    fc.assert(
      fc.property(hostileText(real), hostileText('["id",["a@sha256:1"],false]'), (containers, images) => {
        try {
          const { projects } = readSurvey(sections(containers, images));
          for (const { directory, services } of projects) {
            expect(directory).toMatch(/^\/[^\n\0]*$/);
            for (const { name, image } of services)
              expect(`${name} ${image}`).toMatch(/^[\w.][\w.-]* [\w][\w./:@-]*$/);
          }
        } catch (error) {
          expect(isDomainError(error)).toBe(true);
        }
      }),
    );
  });

  it('says where what the host tells was too long to be read to its end', () => {
    const none = new Map([['engine', { text: 'docker', exitCode: 0 }]]);
    const listed = '/srv/stacks/a/compose.yaml\0'.repeat(20_000).slice(0, 500_000);
    expect(readSurvey(new Map([...none, ['listed', { text: listed, exitCode: 141 }]])).notes).toEqual([
      expect.stringContaining('too many projects'),
    ]);
    const images = ' '.repeat(4_000_000);
    expect(readSurvey(new Map([...none, ['images', { text: images, exitCode: 141 }]])).notes).toEqual([
      expect.stringContaining('of images'),
    ]);
  });

  it('is refused where there are containers that cannot be read', () => {
    expect(() => readSurvey(sections('no JSON'))).toThrow(
      expect.objectContaining({ code: 'host_command_failed' }),
    );
  });

  it('is refused if there is no engine, or if it does not answer', () => {
    const none = new Map([['engine', { text: '', exitCode: 0 }]]);
    expect(() => readSurvey(none)).toThrow(expect.objectContaining({ code: 'host_tool_missing' }));
    const down = new Map([...none, ['fault', { text: 'Cannot connect to the Docker daemon', exitCode: 1 }]]);
    expect(() => readSurvey(down)).toThrow(
      expect.objectContaining({
        code: 'host_command_failed',
        message: expect.stringContaining('Cannot connect'),
      }),
    );
  });
});
