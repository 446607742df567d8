import type { Person } from '../support/browser.ts';

/** Where pages are checked: in the demo, whose lists are full, or in a journey that visits them. */
type Place = Readonly<Partial<Record<'demo' | 'person' | 'files' | 'adding' | 'dumps', string>>>;

/** A part of a page, a stream of events, a file, or a way to another page. */
const NO_PAGE: Place = {};

/** Every GET route, and where it is checked. The test of the demo fails if one is missing. */
export const PLACES: Readonly<Record<string, Place>> = {
  '/': { demo: '/' },
  '/live/overview': NO_PAGE,
  '/search': { demo: '/search?q=app' },
  '/live/search': NO_PAGE,
  '/live/servers': NO_PAGE,
  '/live/jobs': NO_PAGE,
  '/live/notifications': NO_PAGE,
  '/live/approvals': NO_PAGE,
  '/live/batches': NO_PAGE,
  '/live/schedules': NO_PAGE,
  '/live/backups': NO_PAGE,
  '/tags': { demo: '/tags?ids=1&ids=2' },
  '/servers': { demo: '/servers' },
  '/servers/new': { demo: '/servers/new' },
  '/servers/:id': { demo: '/servers/1' },
  '/servers/:id/metrics': { demo: '/servers/1/metrics' },
  '/servers/:id/updates': { demo: '/servers/1/updates' },
  '/servers/:id/containers': { demo: '/servers/1/containers' },
  '/servers/:id/jobs': { demo: '/servers/1/jobs' },
  '/servers/:id/notifications': { demo: '/servers/1/notifications' },
  '/servers/:id/setup': NO_PAGE,
  '/servers/:id/setup/key': { demo: '/servers/1/setup/key' },
  '/servers/:id/setup/host-key': { adding: '/servers/2/setup/host-key' },
  '/servers/:id/setup/check': { demo: '/servers/1/setup/check' },
  '/servers/:id/setup/features': { demo: '/servers/1/setup/features' },
  '/servers/:id/setup/done': { demo: '/servers/1/setup/done' },
  '/servers/:id/settings': { demo: '/servers/1/settings' },
  '/servers/:id/sources': { demo: '/servers/1/sources' },
  '/servers/:id/sources/:source/edit': { demo: '/servers/1/sources/www/edit' },
  '/servers/:id/sources/:source/remove': { demo: '/servers/1/sources/www/remove' },
  '/servers/:id/sources/:source/dumps': { dumps: '/servers/1/sources/www/dumps' },
  '/servers/:id/sources/:source/dumps/:dump/edit': { dumps: '/servers/1/sources/www/dumps/shop/edit' },
  '/servers/:id/sources/:source/dumps/:dump/remove': { dumps: '/servers/1/sources/www/dumps/shop/remove' },
  '/servers/:id/schedules': { demo: '/servers/1/schedules' },
  '/jobs': { demo: '/jobs' },
  '/jobs/:id': { demo: '/jobs/FAILED' },
  '/jobs/:id/events': NO_PAGE,
  '/jobs/:id/log': NO_PAGE,
  '/approvals': { demo: '/approvals' },
  '/approvals/:id': { demo: '/approvals/1' },
  '/live/approvals/:id': NO_PAGE,
  '/audit': { demo: '/audit' },
  '/audit/export': NO_PAGE,
  '/settings': { demo: '/settings' },
  '/servers/:id/jobs/new': { demo: '/servers/1/jobs/new' },
  '/batches': { demo: '/batches' },
  '/batches/new': { demo: '/batches/new?type=os_patch' },
  '/batches/:id': { demo: '/batches/1' },
  '/live/batches/:id': NO_PAGE,
  '/schedules': { demo: '/schedules' },
  '/schedules/new': { demo: '/schedules/new?type=backup' },
  '/schedules/:id': { demo: '/schedules/1' },
  '/schedules/:id/edit': { demo: '/schedules/1/edit' },
  '/live/times': NO_PAGE,
  '/windows': { demo: '/windows' },
  '/windows/new': { demo: '/windows/new' },
  '/windows/:id/edit': { demo: '/windows/1/edit' },
  '/templates': { demo: '/templates' },
  '/templates/new': { demo: '/templates/new' },
  '/templates/:name': { demo: '/templates/uptime-kuma' },
  '/templates/:name/edit': { demo: '/templates/uptime-kuma/edit' },
  '/templates/:name/export': NO_PAGE,
  '/templates/:name/deploy': { demo: '/templates/uptime-kuma/deploy?server=app-01' },
  '/backups': { demo: '/backups' },
  '/servers/:id/backups': { demo: '/servers/1/backups' },
  '/servers/:id/backups/retention': { demo: '/servers/1/backups/retention' },
  '/snapshots/:id': { files: '/snapshots/1' },
  '/snapshots/:id/download': NO_PAGE,
  '/snapshots/:id/dumps/:dump': { dumps: '/snapshots/SNAPSHOT/dumps/shop' },
  '/snapshots/:id/restore': { demo: '/snapshots/1/restore' },
  '/servers/:id/files': { files: '/servers/SERVER/files' },
  '/servers/:id/files/download': NO_PAGE,
  '/servers/:id/files/rename': { files: '/servers/SERVER/files/rename?p=app.conf' },
  '/servers/:id/files/delete': { files: '/servers/SERVER/files/delete?p=app.conf' },
  '/servers/:id/files/edit': { files: '/servers/SERVER/files/edit?p=app.conf' },
  '/servers/:id/files/new': { files: '/servers/SERVER/files/new' },
  '/servers/:id/files/all/delete': { files: '/servers/SERVER/files/all/delete?p=conf' },
  '/servers/:id/files/all/mode': { files: '/servers/SERVER/files/all/mode?p=app.conf' },
  '/servers/:id/files/all/zip': NO_PAGE,
  '/servers/:id/host': { files: '/servers/SERVER/host' },
  '/servers/:id/host/download': NO_PAGE,
  '/settings/tokens': { demo: '/settings/tokens' },
  '/settings/tokens/new': { demo: '/settings/tokens/new?preset=mcp' },
  '/settings/tokens/test': { demo: '/settings/tokens/test' },
  '/settings/tokens/:id': { demo: '/settings/tokens/1' },
  '/settings/tokens/:id/edit': { demo: '/settings/tokens/1/edit' },
  '/notifications': { demo: '/notifications' },
  '/settings/alerts': { demo: '/settings/alerts' },
  '/settings/alerts/new-webhook': { demo: '/settings/alerts/new-webhook' },
  '/settings/alerts/webhooks/:name': { demo: '/settings/alerts/webhooks/chat' },
  '/settings/alerts/webhooks/:name/edit': { demo: '/settings/alerts/webhooks/chat/edit' },
  '/settings/alerts/deliveries/:id': { demo: '/settings/alerts/deliveries/1' },
  '/settings/alerts/policy': { demo: '/settings/alerts/policy' },
  '/settings/alerts/policy/:name': { demo: '/settings/alerts/policy/backup.stale' },
  '/settings/alerts/browser': { demo: '/settings/alerts/browser' },
  '/settings/repositories': { demo: '/settings/repositories' },
  '/settings/new-repository': { demo: '/settings/new-repository' },
  '/settings/repositories/:name': { demo: '/settings/repositories/offsite' },
  '/live/settings/repositories/:name': NO_PAGE,
  '/settings/repositories/:name/edit': { demo: '/settings/repositories/offsite/edit' },
  '/settings/keys': { demo: '/settings/keys' },
  '/settings/keys/import': { demo: '/settings/keys/import' },
  '/settings/about': { demo: '/settings/about' },
  '/settings/users': { demo: '/settings/users' },
  '/account': { person: '/account' },
  '/account/totp': { person: '/account/totp' },
  '/sign-in': { person: '/sign-in' },
  '/code': { person: '/code' },
  '/confirm': { person: '/confirm' },
  '/welcome': { person: '/welcome' },
  '/offline': { person: '/offline' },
};

const nameOf = (route: string): string =>
  route.replaceAll(/[/:]+/g, '-').replaceAll(/^-|-$/g, '') || 'overview';

/** Pages to check here: the name of the picture, and the path. */
export const placesIn = (where: keyof Place): readonly (readonly [string, string])[] =>
  Object.entries(PLACES).flatMap(([route, { [where]: path }]) =>
    path === undefined ? [] : [[`${where}-${nameOf(route)}`, path] as const],
  );

/** Checks each of these pages. `fill` inserts values that are only known here. */
export async function lookAtAll(
  person: Person,
  base: string,
  places: readonly (readonly [string, string])[],
  fill: (path: string) => string = (path) => path,
): Promise<void> {
  for (const [name, path] of places) {
    await person.page.goto(base + fill(path));
    await person.look(name);
  }
}
