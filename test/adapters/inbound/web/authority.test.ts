import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../../../src/domain/access/role.ts';
import type { Connection } from '../../../../src/domain/fleet/server.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { addDump, dumpFile } from '../../../support/dumps.ts';
import { AUTHORITY, type Authority } from './authority.ts';
import { type Answer, openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

/** `late`: an administrator who gave the password more than ten minutes ago. */
const PEOPLE = ['viewer', 'operator', 'late', 'administrator'] as const;
type Person = (typeof PEOPLE)[number];
const roleOf = (person: Person): Role => (person === 'late' ? 'administrator' : person);
const RANK: readonly string[] = ['nobody', 'code', 'viewer', 'operator', 'administrator'];

const KINDS = ['local', 'ssh'] as const satisfies readonly Connection[];

interface Setting {
  readonly fixture: WebFixture;
  readonly people: Record<Person, Visitor>;
}
const settings = new Map<Connection, Setting>();

/** A fixture whose server 1 is of that kind, with a source, a snapshot, files and a project. */
async function settle(kind: Connection): Promise<Setting> {
  const fixture = await openWebFixture();
  const { scene, stock } = fixture;
  const { id } = await scene.addServer('web', { backup: true, docker: true }, kind);
  await scene.servers.change(id, { jail: '/srv/compose', composeDirs: ['/srv/compose'] }, 0, () => ({}));
  stock.files.file('/srv/compose/app/compose.yaml', 'services: {}\n');
  stock.engine.files.set('/etc/hosts', 'x');
  const source = await scene.addSource(id);
  await addDump(scene, source.id);
  const dumps = [dumpFile('1')];
  const request = { ...requestFor(new FakeRemoteHosts().host('web').session(), source), dumps };
  await scene.snapshots.add(
    await stock.engine.backup({ ...request, startedAt: scene.clock.now() }, new Witness()),
  );
  const people = {
    viewer: await fixture.signedIn('viewer'),
    operator: await fixture.signedIn('operator'),
    late: await fixture.signedIn('administrator'),
  };
  await scene.clock.advance(600_000);
  return { fixture, people: { ...people, administrator: await fixture.signedIn('administrator') } };
}

beforeAll(async () => {
  for (const kind of KINDS) settings.set(kind, await settle(kind));
});
afterAll(() => Promise.all([...settings.values()].map(({ fixture }) => fixture.close())));

function setting(kind: Connection): Setting {
  const found = settings.get(kind);
  if (!found) throw new Error(`no fixture of kind ${kind}`);
  return found;
}

const pathOf = (pattern: string): string =>
  pattern.replace(':source', 'etc').replace(':name', 'nobody').replaceAll(/:\w+/g, '1');

function ask(visitor: Visitor, place: string, authority: Authority): Promise<Answer> {
  const [method, pattern = ''] = place.split(' ');
  const request = typeof authority === 'object' && 'control' in authority ? authority.control : {};
  const form = typeof authority === 'object' && 'later' in authority ? authority.later : (request.form ?? {});
  const path = pathOf(pattern);
  if (method === 'GET') return visitor.get(request.query ? `${path}?${request.query}` : path);
  if (pattern.endsWith('/upload')) return visitor.upload(path, form, new File(['x'], 'sent.yaml'));
  return visitor.post(path, form);
}

/** How a request ended as far as rights go. */
function verdictOf({ status, text, location }: Answer): string {
  if (status === 303 && location?.split('?')[0] === '/confirm') return 'confirm';
  if (status !== 403) return 'allowed';
  if (text.includes('name="drover_password"')) return 'confirm';
  const code = /role_missing|own_machine_restricted/.exec(text)?.[0];
  return (
    code ?? (text.includes('the machine that Drover itself runs on') ? 'own_machine_restricted' : 'allowed')
  );
}

function expected(person: Person, place: string, kind: Connection): string {
  const authority = AUTHORITY[place];
  const route = setting(kind).fixture.routes.find(({ method, path }) => `${method} ${path}` === place);
  if (!route || authority === undefined) throw new Error(place);
  if (RANK.indexOf(roleOf(person)) < RANK.indexOf(route.needs)) return 'role_missing';
  const asksAgain = 'confirm' in route && route.confirm;
  // all sessions but the last are older than ten minutes by then
  if (asksAgain && person !== 'administrator') return 'confirm';
  if (typeof authority === 'string' || 'shows' in authority) return 'allowed';
  if ('later' in authority) return person === 'late' ? 'confirm' : 'allowed';
  if (kind === 'ssh' || person === 'administrator') return 'allowed';
  return person === 'late' ? 'confirm' : 'own_machine_restricted';
}

/** After these there is nothing left to ask for. */
const LAST = [
  'POST /snapshots/:id/dumps/:dump',
  'POST /servers/:id/sources/:source/dumps/:dump/remove',
  'POST /servers/:id/sources/:source/remove',
  'POST /servers/:id/settings/remove',
];
const ASKED = Object.entries(AUTHORITY)
  .filter(([, authority]) => authority !== 'not asked')
  .toSorted(([a], [b]) => LAST.indexOf(a) - LAST.indexOf(b));
/** Routes that are the same for every server need one. */
const askedOn = (kind: Connection) =>
  ASKED.filter(([, authority]) => kind === 'local' || authority !== 'role');
/** A few hundred requests, on a machine that does other things too. */
const PATIENCE = 120_000;

/** Everything that a user could have changed. */
function stateOf({ fixture: { scene, stock } }: Setting): string {
  const files = ['app/compose.yaml', 'app/made', 'app/other.yaml', 'app/sent.yaml', 'app/new.yaml'];
  return JSON.stringify([
    ['servers', 'backup_sources', 'backup_dumps', 'jobs'].map((table) =>
      scene.kept.rows(`SELECT * FROM ${table}`),
    ),
    files.map((path) => stock.files.at(`/srv/compose/${path}`)?.kind ?? null),
  ]);
}

describe('Who may what in the web UI', () => {
  test('is said for every route', () => {
    const { routes } = setting('local').fixture;
    expect(routes.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      Object.keys(AUTHORITY).toSorted(),
    );
  });

  test.each(KINDS)(
    'is refused on a server of kind %s, and nothing has changed',
    async (kind) => {
      const at = setting(kind);
      const before = stateOf(at);
      const wrong: string[] = [];
      for (const [place, authority] of askedOn(kind)) {
        for (const person of PEOPLE) {
          const verdict = expected(person, place, kind);
          if (verdict === 'allowed') continue;
          const said = verdictOf(await ask(at.people[person], place, authority));
          if (said !== verdict) wrong.push(`${person} ${place}: ${said} instead of ${verdict}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(stateOf(at)).toBe(before);
    },
    PATIENCE,
  );

  test.each(KINDS.flatMap((kind) => PEOPLE.map((person) => [kind, person] as const)))(
    'shows forms on a server of kind %s that a %s may send, and no others',
    async (kind, person) => {
      const mayChange = {
        local: person === 'administrator',
        ssh: person !== 'viewer',
      }[kind];
      for (const [place, authority] of ASKED) {
        if (typeof authority !== 'object' || !('shows' in authority)) continue;
        if (expected(person, place, kind) !== 'allowed') continue;
        const { text } = await ask(setting(kind).people[person], place, authority);
        // an administrator is led to the form for the machine itself, and asked for the password there
        const isShown = place === 'GET /servers/new' ? roleOf(person) === 'administrator' : mayChange;
        expect([place, text.includes(authority.shows)]).toEqual([place, isShown]);
        if (!isShown && place !== 'GET /servers/new' && kind === 'local' && person === 'late')
          expect(text).toContain('/confirm?next=');
      }
    },
  );

  test.each(KINDS)(
    'is allowed on a server of kind %s to all others',
    async (kind) => {
      const at = setting(kind);
      const wrong: string[] = [];
      for (const [place, authority] of askedOn(kind)) {
        for (const person of PEOPLE) {
          if (expected(person, place, kind) !== 'allowed') continue;
          const said = verdictOf(await ask(at.people[person], place, authority));
          if (said !== 'allowed') wrong.push(`${person} ${place}: ${said}`);
        }
      }
      expect(wrong).toEqual([]);
    },
    PATIENCE,
  );
});
