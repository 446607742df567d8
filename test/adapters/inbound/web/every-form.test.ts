import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../../../src/adapters/inbound/web/all-routes.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { furnish, pathOf } from './furnished.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

/** The invalid input. */
interface Bad {
  readonly typed: Readonly<Record<string, string | readonly string[]>>;
  /** The fields that are to blame, by their names; none: the form as a whole is. */
  readonly faulty: readonly string[];
  /** Sent, and not sent back. */
  readonly secret?: readonly string[];
  /** Who is not signed in, or not yet; an administrator, where left out. */
  readonly by?: 'stranger' | 'halfway';
  readonly status?: number;
  /** Of the server, if it is not the first one. */
  readonly id?: number;
}

/** A button without typed input: a refusal is shown on a separate page. */
const BUTTON = null;
/** A live check while the user types. */
const LIVE_CHECK = null;
/** Nothing is typed: the user chooses from a list. */
const CHOICE = null;
/** Sent by a script, which has nothing to type. */
const SCRIPT = null;

const LONG = 'x'.repeat(3_000);
const KEEP = { keep_last: '3', keep_weekly: '4', keep_monthly: '6', keep_yearly: '0' };
const DUMP = {
  client: 'docker',
  container: '-x',
  database: '-x',
  user: 'a=b',
  host: '-x',
  port: 'many',
  password: 'hunter\u00072',
};
const FILES = '/servers/:id/files';
const HOOK = '/settings/alerts/webhooks/:name';
const CHANNEL = '/settings/alerts/channels/:name';
const PROVIDER = '/settings/sign-in/providers/:name';

/** Every route that takes a form. */
const FORMS: Readonly<Record<string, Bad | null>> = {
  '/servers/new': {
    typed: { name: 'a b', hostname: '-x', ssh_port: 'ssh', ssh_username: '0', tags: 'Ä ok' },
    faulty: ['name', 'hostname', 'ssh_port', 'ssh_username', 'tags'],
  },
  '/servers/:id/notifications/:notification/acknowledge': BUTTON,
  '/servers/:id/start': BUTTON,
  '/jobs/bulk': BUTTON,
  '/schedules/bulk': BUTTON,
  '/approvals/bulk': BUTTON,
  '/tags': { typed: { ids: ['1'], add: 'Ä', remove: '' }, faulty: ['add'] },
  '/settings/tags/:tag/edit': { typed: { to: 'Ä' }, faulty: ['to'] },
  '/settings/tags/:tag/remove': BUTTON,
  '/servers/:id/setup/key': BUTTON,
  '/servers/:id/setup/host-key': BUTTON,
  '/servers/:id/check': BUTTON,
  '/servers/check': BUTTON,
  '/live/servers/:id/setup': BUTTON,
  '/servers/:id/setup/address': {
    typed: { name: 'a b', hostname: '-x', ssh_port: '70000', ssh_username: '0' },
    faulty: ['name', 'hostname', 'ssh_port', 'ssh_username'],
    id: 2,
  },
  '/servers/:id/setup/features': {
    typed: { features: ['backup'], more_paths: 'relative/path', source_name: 'A B', jail: 'x' },
    faulty: ['more_paths', 'source_name', 'jail'],
    id: 2,
  },
  '/servers/:id/settings/name': { typed: { name: 'a b', tags: 'Ä' }, faulty: ['name', 'tags'] },
  '/servers/:id/settings/address': {
    typed: { hostname: '-x', ssh_port: '70000', ssh_username: '0', become: 'sudo', key: '1' },
    faulty: ['hostname', 'ssh_port', 'ssh_username'],
    id: 2,
  },
  '/servers/:id/settings/features': BUTTON,
  '/servers/:id/settings/files': {
    typed: { jail: 'x', jail_deny: 'a/b', compose_dirs: 'relative' },
    faulty: ['jail', 'jail_deny', 'compose_dirs'],
  },
  '/servers/:id/settings/updates': { typed: { update_checks: 'ping' }, faulty: ['update_checks'] },
  '/servers/:id/settings/remove': { typed: { confirm: 'wab' }, faulty: ['confirm'] },
  '/servers/:id/sources': {
    typed: { name: 'A B', paths: 'relative', excludes: LONG + LONG, ...KEEP, keep_daily: 'many' },
    faulty: ['name', 'paths', 'excludes', 'keep_daily'],
  },
  '/servers/:id/sources/:source/edit': {
    typed: { paths: 'relative', excludes: LONG + LONG, ...KEEP, keep_daily: 'many' },
    faulty: ['paths', 'excludes', 'keep_daily'],
  },
  '/servers/:id/sources/:source/remove': BUTTON,
  '/servers/:id/sources/:source/dumps': {
    typed: { name: 'A B', kind: 'mongodb', ...DUMP },
    faulty: ['name', ...Object.keys(DUMP).filter((name) => name !== 'client')],
    secret: ['password'],
  },
  '/servers/:id/sources/:source/dumps/:dump/edit': {
    typed: DUMP,
    faulty: Object.keys(DUMP).filter((name) => name !== 'client'),
    secret: ['password'],
  },
  '/servers/:id/sources/:source/dumps/:dump/remove': BUTTON,
  '/servers/:id/sources/:source/dumps/test': BUTTON,
  '/servers/:id/sources/:source/test': BUTTON,
  '/snapshots/:id/dumps/:dump': { typed: { database: '-x' }, faulty: ['database'] },
  '/jobs/:id/cancel': BUTTON,
  '/jobs/:id/apply': { typed: { host_name: 'wab' }, faulty: ['host_name'] },
  '/jobs/:id/again': BUTTON,
  '/jobs/:id/downgrade': BUTTON,
  '/approvals/:id/approve': { typed: { note: LONG }, faulty: ['note'] },
  '/approvals/:id/refuse': { typed: { note: LONG }, faulty: ['note'] },
  '/approvals/:id/plan': BUTTON,
  '/settings/appearance': CHOICE,
  '/settings/time-zone': { typed: { time_zone: 'Mars/Olympus' }, faulty: ['time_zone'] },
  '/servers/:id/jobs/new': {
    typed: { type: 'host_reboot', grace_seconds: 'soon' },
    faulty: ['grace_seconds'],
  },
  '/batches/new': {
    typed: { type: 'backup', selector: 'ids', servers: 'x', max_parallel: 'all', canary: '-1' },
    faulty: ['servers', 'max_parallel', 'canary'],
  },
  '/batches/:id/cancel': BUTTON,
  '/batches/:id/apply': BUTTON,
  '/schedules/new': {
    typed: {
      type: 'backup',
      name: 'a b',
      cron: '0 2 * * *',
      time_zone: 'Mars',
      selector: 'ids',
      servers: 'x',
    },
    faulty: ['name', 'servers', 'time_zone'],
  },
  '/schedules/:id/edit': {
    typed: { type: 'backup', name: 'nightly', cron: 'often', time_zone: 'UTC', selector: 'all' },
    faulty: ['cron'],
  },
  '/schedules/:id/enable': BUTTON,
  '/schedules/:id/disable': BUTTON,
  '/schedules/:id/remove': BUTTON,
  '/schedules/:id/run': BUTTON,
  '/windows/new': {
    typed: { name: 'a b', cron: '0 2 * * 0', time_zone: 'UTC', duration: 'long', selector: 'all' },
    faulty: ['name', 'duration'],
  },
  '/windows/:id/edit': {
    typed: { name: 'sundays', cron: 'often', time_zone: 'UTC', duration: '2', selector: 'all' },
    faulty: ['cron'],
  },
  '/windows/:id/enable': BUTTON,
  '/windows/:id/disable': BUTTON,
  '/windows/:id/remove': BUTTON,
  '/policies/new': {
    typed: { name: 'a b', min_age_hours: 'old', min_age_by_hand_hours: '0', selector: 'all' },
    faulty: ['name', 'min_age_hours'],
  },
  '/policies/:id/edit': {
    typed: { name: 'slow', min_age_hours: '72', min_age_by_hand_hours: 'x', selector: 'all' },
    faulty: ['min_age_by_hand_hours'],
  },
  '/policies/:id/remove': BUTTON,
  '/templates/new': {
    typed: { name: 'De mo', 'var.0.name': 'A', 'var.0.type': 'string', 'path.0': 'compose.yaml' },
    faulty: ['name', 'var.0.name'],
  },
  '/templates/:name/edit': {
    typed: { name: 'demo', 'var.0.name': 'a', 'var.0.type': 'port', 'var.0.default': 'x' },
    faulty: ['var.0.default'],
  },
  '/templates/:name/remove': { typed: { confirm: 'dema' }, faulty: ['confirm'] },
  '/servers/:id/backups': BUTTON,
  '/servers/:id/backups/retention': { typed: { confirmation: 'wab' }, faulty: ['confirmation'] },
  '/snapshots/:id/verify': BUTTON,
  '/snapshots/:id/pin': BUTTON,
  '/snapshots/:id/unpin': BUTTON,
  '/snapshots/:id/delete': BUTTON,
  '/snapshots/:id/pack': CHOICE,
  '/snapshots/:id/restore/choose': CHOICE,
  '/snapshots/:id/restore/preview': {
    typed: { path: 'etc/hosts', where: 'directory', directory: 'relative' },
    faulty: ['directory'],
  },
  '/snapshots/:id/restore': {
    typed: { path: 'etc/hosts', where: 'directory', directory: 'relative' },
    faulty: ['directory'],
  },
  [`${FILES}/upload`]: BUTTON,
  [`${FILES}/mkdir`]: { typed: { p: '', name: 'a/../b' }, faulty: ['name'] },
  [`${FILES}/rename`]: { typed: { p: 'a.txt', dest: '../b' }, faulty: ['dest'] },
  [`${FILES}/delete`]: { typed: { p: 'full' }, faulty: [] },
  [`${FILES}/jail`]: { typed: { jail: 'x', jail_deny: 'a/b' }, faulty: ['jail', 'jail_deny'] },
  [`${FILES}/check`]: LIVE_CHECK,
  [`${FILES}/edit`]: {
    typed: { p: 'a.txt', text: 'typed\nlong ago', if_match: '0'.repeat(64), crlf: 'no' },
    faulty: [],
    secret: ['if_match'],
    status: 409,
  },
  [`${FILES}/new`]: { typed: { p: '', name: 'a/../b', text: 'typed' }, faulty: ['name'] },
  [`${FILES}/all/delete`]: { typed: { p: 'full', confirmation: 'fall' }, faulty: ['confirmation'] },
  [`${FILES}/all/mode`]: { typed: { p: 'a.txt', mode: '999' }, faulty: ['mode'] },
  '/settings/tokens/new': {
    typed: {
      name: ' ',
      scopes: [],
      allowed_cidrs: '10.0.0.1/8',
      servers: 'some',
      allowed_server_ids: '1',
      expires_at: 'date',
      expires_on: '2001-01-01',
    },
    faulty: ['name', 'scopes', 'allowed_cidrs', 'expires_on'],
  },
  '/settings/tokens/check-addresses': LIVE_CHECK,
  '/settings/tokens/tools': LIVE_CHECK,
  '/settings/tokens/test': {
    typed: { secret: ' ', address: 'nowhere' },
    faulty: ['secret', 'address'],
    secret: ['secret'],
  },
  '/settings/tokens/revoke': BUTTON,
  '/settings/tokens/:id/rotate': BUTTON,
  '/settings/tokens/:id/revoke': BUTTON,
  '/settings/tokens/:id/edit': {
    typed: { name: ' ', scopes: ['read'], allowed_cidrs: 'x', expires_at: 'keep' },
    faulty: ['name', 'allowed_cidrs'],
  },
  '/notifications/:id/acknowledge': BUTTON,
  '/notifications/bulk': CHOICE,
  '/notifications/mute': CHOICE,
  '/settings/alerts/new-channel/:kind': {
    typed: {
      name: 'no name',
      server: 'nonsense',
      topic: 'a b',
      token: 'tiny ',
      which: 'some',
      min_severity: 'warning',
      tags: 'Ä',
    },
    faulty: ['name', 'server', 'topic', 'tags', 'events'],
    secret: ['topic', 'token'],
  },
  [`${CHANNEL}/edit`]: {
    typed: {
      name: 'phone',
      server: 'https://ntfy.example.com',
      topic: '',
      which: 'all',
      min_severity: 'info',
    },
    faulty: ['topic'],
  },
  [`${CHANNEL}/test`]: BUTTON,
  [`${CHANNEL}/enable`]: BUTTON,
  [`${CHANNEL}/disable`]: BUTTON,
  [`${CHANNEL}/remove`]: { typed: { confirm: 'phome' }, faulty: ['confirm'] },
  '/settings/alerts/new-webhook': {
    typed: { name: 'chatter', url: 'nonsense', secret: 'tiny', which: 'some', min_severity: 'warning' },
    faulty: ['url'],
    secret: ['secret'],
  },
  '/settings/alerts/check-url': LIVE_CHECK,
  [`${HOOK}/edit`]: {
    typed: { name: 'chat', url: 'nonsense', which: 'all', min_severity: 'info' },
    faulty: ['url'],
  },
  [`${HOOK}/rotate`]: CHOICE,
  [`${HOOK}/ping`]: BUTTON,
  [`${HOOK}/enable`]: BUTTON,
  [`${HOOK}/disable`]: BUTTON,
  [`${HOOK}/remove`]: { typed: { confirm: 'chap' }, faulty: ['confirm'] },
  '/settings/alerts/deliveries/:id/resend': BUTTON,
  '/settings/alerts/policy/:name': CHOICE,
  '/settings/alerts/mutes/:id/remove': BUTTON,
  '/settings/alerts/browser': SCRIPT,
  '/settings/alerts/browser/:id/test': BUTTON,
  '/settings/alerts/browser/:id/remove': BUTTON,
  '/settings/new-repository': {
    typed: { name: 'A B', url: 'ftp://x', password: '', login: 'web', login_secret: 'of the server' },
    faulty: ['name', 'url', 'password'],
    secret: ['password', 'login_secret'],
  },
  '/settings/repositories/:name/edit': {
    typed: { name: 'A B', url: 'ftp://x', password: 'between the lines', login: '' },
    faulty: ['name', 'url'],
    secret: ['password'],
  },
  '/settings/repositories/:name/check': CHOICE,
  '/settings/repositories/:name/remove': { typed: { confirm: 'on' }, faulty: ['confirm'] },
  '/settings/keys': { typed: { name: 'a b' }, faulty: ['name'] },
  '/settings/keys/:id/remove': BUTTON,
  '/settings/keys/import': {
    typed: { name: 'old', private_key: 'no key at all', passphrase: 'hush hush' },
    faulty: ['private_key'],
    secret: ['private_key', 'passphrase'],
  },
  '/settings/users': { typed: { name: 'a b', role: 'operator' }, faulty: ['name'] },
  '/settings/sign-in/require': {
    typed: { required: 'on', break_glass: 'nobody' },
    faulty: ['break_glass'],
  },
  '/settings/sign-in/new-provider': {
    typed: {
      name: 'A B',
      label: '',
      issuer: 'ftp://auth.example.org',
      client_id: '',
      client_secret: '',
      scopes: 'profile',
      groups_claim: 'groups',
      roles: 'admins=king',
      two_factor: 'never',
    },
    faulty: ['name', 'label', 'issuer', 'client_id', 'client_secret', 'scopes', 'roles'],
    secret: ['client_secret'],
  },
  [`${PROVIDER}/edit`]: {
    typed: { label: '', issuer: 'http://auth.example.org', client_id: 'x', roles: 'x', client_secret: 'a b' },
    faulty: ['label', 'issuer', 'roles', 'client_secret'],
    secret: ['client_secret'],
  },
  [`${PROVIDER}/test`]: BUTTON,
  [`${PROVIDER}/enable`]: BUTTON,
  [`${PROVIDER}/disable`]: BUTTON,
  [`${PROVIDER}/remove`]: { typed: { confirm: 'other' }, faulty: ['confirm'] },
  '/settings/users/two-factor': CHOICE,
  '/audit/reads': CHOICE,
  '/settings/users/approvals': {
    typed: { four_eyes: 'yes', approver_role: 'administrator', approvers: '6' },
    faulty: ['approvers'],
  },
  '/settings/users/:name/link': BUTTON,
  '/settings/users/:name/role': CHOICE,
  '/settings/users/:name/grant': { typed: { tag: 'A B', role: 'operator' }, faulty: ['tag'] },
  '/settings/users/:name/revoke': BUTTON,
  '/settings/users/:name/disable': BUTTON,
  '/settings/users/:name/enable': BUTTON,
  '/settings/users/:name/end-sessions': BUTTON,
  '/settings/users/:name/remove-totp': BUTTON,
  '/account/password': {
    typed: { password: 'password1234' },
    faulty: ['password'],
    secret: ['password'],
  },
  '/account/totp': { typed: { secret: 'JBSWY3DPEHPK3PXP', code: '000000' }, faulty: ['code'] },
  '/account/totp/off': BUTTON,
  '/account/link/:name': BUTTON,
  '/account/unlink': BUTTON,
  '/account/recovery-codes': BUTTON,
  '/account/passkeys': { typed: { name: 'x'.repeat(61) }, faulty: ['name'] },
  '/account/passkeys/options': SCRIPT,
  // Typed into a row, whose field the browser limits.
  '/account/passkeys/:id/rename': BUTTON,
  '/account/passkeys/:id/remove': BUTTON,
  '/account/sessions/end-others': BUTTON,
  '/account/sessions/:id/end': BUTTON,
  '/sign-in': {
    typed: { name: 'root', password: 'not the right one', next: '/jobs' },
    faulty: [],
    secret: ['password'],
    by: 'stranger',
    status: 401,
  },
  '/code': {
    typed: { code: '000000', next: '/jobs' },
    faulty: [],
    by: 'halfway',
    status: 401,
  },
  '/confirm': {
    typed: { password: 'not the right one', next: '/jobs' },
    faulty: [],
    secret: ['password'],
    status: 401,
  },
  '/sign-in/proxy': BUTTON,
  '/sign-in/passkey/options': SCRIPT,
  '/sign-in/passkey': {
    typed: { answer: '{no answer', next: '/jobs' },
    faulty: [],
    secret: ['answer'],
    by: 'stranger',
    status: 401,
  },
  '/code/passkey/options': SCRIPT,
  '/code/passkey': {
    typed: { answer: '{no answer', next: '/jobs' },
    faulty: [],
    by: 'halfway',
    secret: ['answer'],
    status: 401,
  },
  '/confirm/passkey/options': SCRIPT,
  '/confirm/passkey': {
    typed: { answer: '{no answer', next: '/jobs' },
    faulty: [],
    secret: ['answer'],
    status: 401,
  },
  '/sign-out': BUTTON,
  '/welcome': BUTTON,
  '/welcome/password': {
    typed: { link: 'LINK', password: 'password1234' },
    faulty: ['password'],
    secret: ['password'],
    by: 'stranger',
  },
};

test('Every route that takes a form is known', () => {
  const nothing: object = new Proxy({}, { get: () => nothing });
  const actions = allRoutes(nothing as never).filter(({ method }) => method === 'POST');
  expect(Object.keys(FORMS).toSorted()).toEqual(actions.map(({ path }) => path).toSorted());
});

describe('A form with invalid input', () => {
  let fixture: WebFixture;
  let root: Visitor;
  /** Gave the password, and owes the code. */
  let halfway: Visitor;
  let link: string;
  /** A job that has ended, by which another may be started. */
  let plan: number;
  beforeAll(async () => {
    fixture = await openWebFixture();
    root = await fixture.signedIn('administrator');
    await furnish(fixture, root);
    plan = await planned();
    halfway = await owingCode();
    link = await invited();
  });
  afterAll(() => fixture.close());

  /** The id of a dry run that has ended. */
  async function planned(): Promise<number> {
    const { queue, clock } = fixture.scene;
    await root.post('/servers/1/jobs/new', { type: 'host_reboot', grace_seconds: '' });
    const at = clock.now();
    const [claim] = await queue.claim({ owner: 'w', leaseMs: 3_600_000, at, limit: 1, record: () => ({}) });
    if (!claim) throw new Error('no job waits');
    const result = { changes: [{ boot_id: 'b' }] };
    const outcome = { status: 'success', summary: 'Done.', error: null, result, facts: {} } as const;
    return (await queue.finish(claim, outcome, at, () => ({}))).id;
  }

  async function owingCode(): Promise<Visitor> {
    const viewer = await fixture.signedIn('viewer');
    const secret = /name="secret" value="([^"]*)"/.exec((await viewer.get('/account/totp')).text)?.[1] ?? '';
    const code = new TOTP({ secret }).generate({ timestamp: fixture.scene.clock.now() });
    await viewer.post('/account/totp', { secret, code });
    await viewer.post('/sign-out');
    await viewer.post('/sign-in', { name: 'viewer1', password: PASSWORD });
    return viewer;
  }

  async function invited(): Promise<string> {
    const { text } = await root.post('/settings/users', { name: 'bert', role: 'viewer' });
    return /welcome#([\w-]+)/.exec(text)?.[1] ?? '';
  }

  const forms = Object.entries(FORMS).filter((form): form is [string, Bad] => form[1] !== null);

  test.each(forms)('POST %s keeps what was typed, and shows the errors', async (route, bad) => {
    const typed = Object.fromEntries(
      Object.entries(bad.typed).map(([name, value]) => [name, value === 'LINK' ? link : value]),
    );
    const visitor = bad.by === undefined ? root : bad.by === 'stranger' ? fixture.browser() : halfway;
    const id = route === '/jobs/:id/apply' ? plan : (bad.id ?? 1);
    const { status, text } = await visitor.post(pathOf(route, id), typed);
    const page = new Page(text);
    expect([status, page.title]).toEqual([bad.status ?? 422, expect.not.stringMatching(/^(Bad|Unproc)/)]);
    expect(text).toContain('role="alert"');
    for (const [name, value] of Object.entries(typed)) {
      if (bad.secret?.includes(name)) {
        if (String(value).trim() !== '') expect([name, text.includes(String(value))]).toEqual([name, false]);
      } else for (const each of [value].flat()) expect([name, page.holds(name, each)]).toEqual([name, true]);
    }
    for (const name of bad.faulty)
      expect([name, page.faultOf(name)]).toEqual([name, expect.stringMatching(/./)]);
    expect(page.marked).toEqual(bad.faulty.toSorted());
  });
});

/** A page from the view of a user who looks for the typed input. */
class Page {
  readonly #html: string;
  readonly #tags: readonly { readonly name: string; readonly tag: string; readonly at: number }[];

  constructor(html: string) {
    this.#html = html;
    this.#tags = [...html.matchAll(/<(input|textarea|select)\b[^>]*>/g)].map((match) => ({
      name: /\bname="([^"]*)"/.exec(match[0])?.[1] ?? '',
      tag: match[0],
      at: match.index,
    }));
  }

  get title(): string {
    return /<h1>([^<]*)/.exec(this.#html)?.[1] ?? '';
  }

  /** Whether a field of that name has this in it, or chosen. */
  holds(name: string, value: string): boolean {
    const wanted = escaped(value);
    return this.#tags
      .filter((each) => each.name === name)
      .some(({ tag, at }) => {
        if (wanted === '') return !/ value="[^"]/.test(tag);
        if (tag.startsWith('<textarea')) return this.#upTo(at, '</textarea>') === wanted;
        if (tag.startsWith('<select'))
          return new RegExp(
            `<option[^>]* selected[^>]* value="${wanted}"|value="${wanted}"[^>]* selected`,
          ).test(this.#upTo(at, '</select>'));
        const isTick = /type="(checkbox|radio)"/.test(tag);
        return tag.includes(` value="${wanted}"`) && (!isTick || / checked/.test(tag));
      });
  }

  /** The names of the fields that are marked. */
  get marked(): readonly string[] {
    const names = [...this.#html.matchAll(/<p class="fault" id="([^"]*)-fault">/g)].map(
      (match) => match[1] ?? '',
    );
    return [...new Set(names)].toSorted();
  }

  /** The error message, if the field is marked invalid and refers to it. */
  faultOf(name: string): string {
    const told = new RegExp(`<p class="fault" id="${name}-fault">([^<]*)`).exec(this.#html)?.[1] ?? '';
    const leads = new RegExp(`aria-describedby="[^"]*\\b${name}-fault"`);
    const group = new RegExp(`<fieldset[^>]*aria-describedby="${name}-fault"`).test(this.#html);
    const field = this.#tags.some(
      ({ name: own, tag }) => own === name && tag.includes('aria-invalid="true"') && leads.test(tag),
    );
    return field || group ? told : '';
  }

  #upTo(at: number, end: string): string {
    const begin = this.#html.indexOf('>', at) + 1;
    return this.#html.slice(begin, this.#html.indexOf(end, begin)).replace(/^\n/, '');
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
