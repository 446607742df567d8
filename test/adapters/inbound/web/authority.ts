/** A user's requirements for a route of the web UI beyond the role. */
export type Authority =
  /** Nothing: it is the same whatever server it is about. */
  | 'role'
  /** On the service's own machine an administrator who gave the password lately; elsewhere the role. */
  | { readonly control: Request }
  /** As `control`, but a page that explains itself instead of a refusal: it has these words only for who holds control. */
  | { readonly shows: string }
  /** For an administrator in person everywhere: the password is required on any server. */
  | 'in person'
  /** An administrator confirms the password recently if the form starts such a job on any server. */
  | { readonly later: Readonly<Record<string, string>> }
  /** It would end the session or the account that the test goes on with. */
  | 'not asked';

export interface Request {
  readonly query?: string;
  readonly form?: Readonly<Record<string, string>>;
}

const control = (form?: Readonly<Record<string, string>>): Authority => ({
  control: form ? { form } : {},
});
const at = (query: string): Authority => ({ control: { query } });
const job = (type: string): Authority => ({
  control: { form: { type, source_filter: '/srv/compose/app', template: 'demo' } },
});

const RETENTION = { keep_last: '1', keep_daily: '0', keep_weekly: '0', keep_monthly: '0', keep_yearly: '0' };
const RESTORE = { path: '', where: 'directory', directory: '/srv/back' };

const DUMP = { name: 'all', kind: 'sqlite', client: 'host', database: '/var/lib/drover/drover.sqlite' };

/** Every route that is about one server's files, sources, snapshots or deployments. */
const OF_SERVERS: Readonly<Record<string, Authority>> = {
  'GET /servers/new': { shows: '/servers/new?local=1' },
  'GET /servers/:id/setup/features': { shows: 'name="jail"' },
  'POST /servers/:id/setup/address': control({
    name: 'web',
    hostname: 'other.example.org',
    ssh_port: '22',
    ssh_username: 'root',
  }),
  'POST /servers/:id/setup/features': control({ jail: '/srv/other', backup: 'on' }),
  'GET /servers/:id/settings': { shows: 'name="compose_dirs"' },
  'POST /servers/:id/settings/address': control({
    hostname: 'other.example.org',
    ssh_port: '22',
    ssh_username: 'root',
    key: 'agent',
  }),
  'POST /servers/:id/settings/files': control({ jail: '/srv/other', compose_dirs: '/srv/other' }),
  'POST /servers/:id/settings/updates': control({ update_checks: 'command ["reboot"]' }),
  'POST /servers/:id/settings/remove': control({ confirm: 'web' }),
  'GET /servers/:id/sources': { shows: 'Add a source' },
  'POST /servers/:id/sources': control({ name: 'all', paths: '/', ...RETENTION }),
  'GET /servers/:id/sources/:source/edit': control(),
  'POST /servers/:id/sources/:source/edit': control({ paths: '/', excludes: '', ...RETENTION }),
  'POST /servers/:id/sources/:source/test': control({}),
  'GET /servers/:id/sources/:source/remove': control(),
  'POST /servers/:id/sources/:source/remove': control({}),
  'GET /servers/:id/sources/:source/dumps': { shows: 'Add a dump' },
  'POST /servers/:id/sources/:source/dumps': control(DUMP),
  'POST /servers/:id/sources/:source/dumps/test': control({}),
  'GET /servers/:id/sources/:source/dumps/:dump/edit': control(),
  'POST /servers/:id/sources/:source/dumps/:dump/edit': control({ client: 'host', database: 'other' }),
  'GET /servers/:id/sources/:source/dumps/:dump/remove': control(),
  'POST /servers/:id/sources/:source/dumps/:dump/remove': control({}),
  'GET /snapshots/:id/dumps/:dump': control(),
  'POST /snapshots/:id/dumps/:dump': control({ database: 'shop' }),
  'GET /servers/:id/containers/:container/log': control(),
  'GET /servers/:id/containers/:container/log/events': control(),
  'GET /servers/:id/containers/:container/log/text': control(),
  'GET /snapshots/:id': control(),
  'GET /snapshots/:id/download': at('p=etc/hosts'),
  'POST /snapshots/:id/verify': control({}),
  'GET /snapshots/:id/view': at('p=etc/hosts'),
  'GET /snapshots/:id/compare': control(),
  'GET /snapshots/:id/now': at('p=etc/hosts'),
  'GET /live/snapshots/:id/restore/plan': control(),
  'POST /snapshots/:id/restore/preview': control(RESTORE),
  'GET /snapshots/:id/delete': control(),
  'POST /snapshots/:id/delete': control({}),
  'POST /snapshots/:id/pack': control({ p: 'etc', ids: 'hosts' }),
  'POST /snapshots/:id/restore/choose': control({ p: 'etc', ids: 'hosts' }),
  'POST /snapshots/:id/pin': 'role',
  'POST /snapshots/:id/unpin': 'role',
  'GET /snapshots/:id/restore': control(),
  'POST /snapshots/:id/restore': control(RESTORE),
  'GET /servers/:id/files': control(),
  'GET /servers/:id/files/download': at('p=app/compose.yaml'),
  'POST /servers/:id/files/upload': control({ p: 'app' }),
  'POST /servers/:id/files/mkdir': control({ p: 'app', name: 'made' }),
  'GET /servers/:id/files/rename': at('p=app/compose.yaml'),
  'POST /servers/:id/files/rename': control({ p: 'app/compose.yaml', dest: 'other.yaml' }),
  'GET /servers/:id/files/delete': at('p=app/compose.yaml'),
  'POST /servers/:id/files/delete': control({ p: 'app/compose.yaml' }),
  'POST /servers/:id/files/jail': control({ jail: '/srv/other', jail_deny: '' }),
  'GET /servers/:id/files/compose': control(),
  'GET /servers/:id/files/edit': at('p=app/compose.yaml'),
  'POST /servers/:id/files/check': control({ p: 'app/compose.yaml', text: 'x' }),
  'POST /servers/:id/files/edit': control({ p: 'app/compose.yaml', text: 'x', if_match: '' }),
  'GET /servers/:id/files/new': at('p=app'),
  'POST /servers/:id/files/new': control({ p: 'app', name: 'new.yaml', text: 'x' }),
  'GET /servers/:id/files/all/delete': 'in person',
  'POST /servers/:id/files/all/delete': 'in person',
  'GET /servers/:id/files/all/mode': 'in person',
  'POST /servers/:id/files/all/mode': 'in person',
  'GET /servers/:id/files/all/zip': 'in person',
  'GET /servers/:id/host': 'in person',
  'GET /servers/:id/host/download': 'in person',
  'POST /servers/:id/jobs/new': job('template_deploy'),
};

/** The same for every server: a role, and for some the password, decide. */
const BY_ROLE = `
GET /
GET /live/overview
GET /live/search
GET /search
GET /live/servers
GET /live/jobs
GET /live/audit
GET /live/changes
GET /live/packages
GET /packages/cves
GET /live/packages/cves
GET /live/notifications
GET /live/approvals
GET /live/batches
GET /live/schedules
GET /live/backups
GET /tags
POST /tags
POST /jobs/bulk
GET /servers
GET /servers/export
POST /servers/new
GET /servers/:id
GET /live/servers/:id/head
GET /servers/:id/updates
GET /servers/:id/metrics
GET /servers/:id/containers
GET /servers/:id/jobs
GET /servers/:id/notifications
POST /servers/:id/notifications/:notification/acknowledge
POST /servers/:id/start
GET /servers/:id/setup/address
GET /servers/:id/setup/key
GET /servers/:id/setup/host-key
POST /servers/:id/setup/host-key
GET /servers/:id/setup/check
POST /servers/:id/check
POST /servers/check
GET /servers/:id/setup/done
GET /servers/:id/setup
GET /live/servers/:id/setup
POST /live/servers/:id/setup
POST /servers/:id/settings/name
POST /servers/:id/settings/features
GET /servers/:id/schedules
GET /jobs
GET /jobs/:id
GET /jobs/:id/request
GET /jobs/:id/log
POST /jobs/:id/cancel
GET /approvals
GET /approvals/:id
GET /live/approvals/:id
GET /live/approvals/sum
POST /approvals/bulk
POST /approvals/:id/approve
POST /approvals/:id/refuse
POST /approvals/:id/plan
GET /audit
GET /changes
GET /packages
GET /audit/export
POST /audit/reads
GET /settings
POST /settings/appearance
GET /servers/:id/jobs/new
GET /batches
GET /batches/new
GET /batches/:id
GET /live/batches/:id
POST /batches/:id/cancel
GET /schedules
GET /schedules/new
GET /schedules/:id
GET /schedules/:id/edit
POST /schedules/:id/disable
POST /schedules/:id/remove
GET /live/times
GET /windows
GET /windows/new
POST /windows/new
GET /windows/:id/edit
POST /windows/:id/edit
POST /windows/:id/enable
POST /windows/:id/disable
POST /windows/:id/remove
GET /policies
GET /policies/preview
GET /policies/new
POST /policies/new
GET /policies/:id/edit
POST /policies/:id/edit
POST /policies/:id/remove
GET /templates
GET /templates/new
POST /templates/new
GET /templates/:name
GET /templates/:name/edit
POST /templates/:name/edit
GET /templates/:name/export
GET /templates/:name/deploy
POST /templates/:name/remove
GET /backups
GET /servers/:id/backups
POST /servers/:id/backups
GET /servers/:id/backups/retention
POST /servers/:id/backups/retention
GET /settings/tokens
GET /live/settings/tokens
GET /settings/tokens/new
POST /settings/time-zone
POST /settings/tokens/new
POST /settings/tokens/check-addresses
POST /settings/tokens/tools
GET /live/settings/tokens/:id
GET /settings/tokens/test
POST /settings/tokens/test
POST /settings/tokens/revoke
POST /settings/tokens/:id/rotate
POST /settings/tokens/:id/revoke
GET /settings/tokens/:id
GET /settings/tokens/:id/edit
POST /settings/tokens/:id/edit
GET /notifications
POST /notifications/:id/acknowledge
POST /notifications/bulk
POST /notifications/mute
GET /settings/alerts
GET /settings/sign-in
POST /settings/sign-in/require
GET /settings/sign-in/new-provider
POST /settings/sign-in/new-provider
GET /settings/sign-in/providers/:name
POST /settings/sign-in/providers/:name/edit
POST /settings/sign-in/providers/:name/test
POST /settings/sign-in/providers/:name/enable
POST /settings/sign-in/providers/:name/disable
POST /settings/sign-in/providers/:name/remove
GET /settings/alerts/new-channel
GET /settings/alerts/new-channel/:kind
POST /settings/alerts/new-channel/:kind
GET /settings/alerts/channels/:name
GET /settings/alerts/channels/:name/report
GET /settings/alerts/channels/:name/edit
POST /settings/alerts/channels/:name/edit
POST /settings/alerts/channels/:name/test
POST /settings/alerts/channels/:name/enable
POST /settings/alerts/channels/:name/disable
POST /settings/alerts/channels/:name/remove
GET /settings/alerts/new-webhook
POST /settings/alerts/new-webhook
POST /settings/alerts/check-url
GET /settings/alerts/webhooks/:name
GET /settings/alerts/webhooks/:name/edit
POST /settings/alerts/webhooks/:name/edit
POST /settings/alerts/webhooks/:name/rotate
POST /settings/alerts/webhooks/:name/ping
POST /settings/alerts/webhooks/:name/enable
POST /settings/alerts/webhooks/:name/disable
POST /settings/alerts/webhooks/:name/remove
GET /settings/alerts/deliveries/:id
POST /settings/alerts/deliveries/:id/resend
GET /settings/alerts/policy
GET /settings/alerts/policy/:name
POST /settings/alerts/policy/:name
POST /settings/alerts/mutes/:id/remove
GET /settings/alerts/browser
POST /settings/alerts/browser
POST /settings/alerts/browser/:id/test
POST /settings/alerts/browser/:id/remove
GET /settings/repositories
GET /settings/new-repository
POST /settings/new-repository
GET /settings/repositories/:name
GET /live/settings/repositories/:name
GET /settings/repositories/:name/edit
POST /settings/repositories/:name/edit
POST /settings/repositories/:name/check
POST /settings/repositories/:name/remove
GET /settings/tags
GET /settings/tags/:tag/edit
POST /settings/tags/:tag/edit
POST /settings/tags/:tag/remove
GET /settings/keys
POST /settings/keys
POST /settings/keys/:id/remove
GET /settings/keys/import
POST /settings/keys/import
GET /settings/about
GET /settings/users
POST /settings/users
POST /settings/users/two-factor
POST /settings/users/approvals
POST /settings/users/:name/link
POST /settings/users/:name/role
GET /settings/users/:name
POST /settings/users/:name/grant
POST /settings/users/:name/revoke
POST /settings/users/:name/disable
POST /settings/users/:name/enable
POST /settings/users/:name/end-sessions
POST /settings/users/:name/remove-totp
GET /account
POST /account/password
GET /account/totp
POST /account/totp
POST /account/totp/off
POST /account/recovery-codes
GET /account/link/:name
POST /account/link/:name
POST /account/unlink
GET /account/passkeys
POST /account/passkeys
POST /account/passkeys/options
POST /account/passkeys/:id/rename
POST /account/passkeys/:id/remove
GET /code
POST /code
POST /code/passkey
POST /code/passkey/options
GET /confirm
POST /confirm
POST /confirm/passkey
POST /confirm/passkey/options
GET /offline
`;

const STACK = { type: 'docker_stack_deploy', source_filter: '/srv/compose/app', selector: 'all' };

/** A request for a batch, a schedule or a job may include the service's machine later. */
const LATER: Readonly<Record<string, Authority>> = {
  'POST /batches/new': { later: STACK },
  'POST /batches/:id/apply': 'not asked',
  'POST /schedules/new': { later: { ...STACK, name: 'nightly', cron: '0 3 * * *', time_zone: 'UTC' } },
  'POST /schedules/:id/edit': 'not asked',
  'POST /schedules/:id/enable': 'not asked',
  'POST /schedules/:id/run': 'not asked',
  'POST /schedules/bulk': 'not asked',
};

/**
 * Needs things that the test does not set up, waits without end, or ends the session that the test continues with.
 */
const NOT_ASKED = `
GET /jobs/:id/events
GET /live/events
POST /jobs/:id/apply
POST /jobs/:id/again
POST /jobs/:id/downgrade
POST /servers/:id/setup/key
POST /account/sessions/end-others
POST /account/sessions/:id/end
GET /sign-in
GET /sign-in/sso/:name
GET /sign-in/sso/:name/callback
GET /sign-in/sso/:name/sign-out
POST /sign-in
POST /sign-in/passkey
POST /sign-in/passkey/options
POST /sign-in/proxy
POST /sign-out
GET /welcome
POST /welcome
POST /welcome/password
`;

const each = (lines: string, authority: Authority): Readonly<Record<string, Authority>> =>
  Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => [line, authority]),
  );

export const AUTHORITY: Readonly<Record<string, Authority>> = {
  ...OF_SERVERS,
  ...LATER,
  ...each(BY_ROLE, 'role'),
  ...each(NOT_ASKED, 'not asked'),
};
