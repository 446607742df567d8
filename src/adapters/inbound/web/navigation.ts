import type { NavigationCounts } from '../../../application/fleet/count-for-navigation.ts';
import { covers, type Role } from '../../../domain/access/role.ts';
import type { IconName } from './components/icon-names.ts';
import type { Tone } from './components/status.tsx';

/** A place of the sidebar. */
export interface NavPlace {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  readonly needs: Role;
  /** Further addresses whose pages belong here. */
  readonly also?: readonly string[];
  /** Its lists, where it has several. */
  readonly tabs?: readonly { readonly href: string; readonly label: string }[];
  readonly count?: { readonly of: keyof NavigationCounts; readonly tone: Tone; readonly words: string };
}

interface NavGroup {
  readonly label: string | null;
  readonly places: readonly NavPlace[];
}

export const OVERVIEW: NavPlace = {
  href: '/',
  label: 'Overview',
  icon: 'layout-dashboard',
  needs: 'viewer',
};
export const SETTINGS: NavPlace = {
  href: '/settings',
  label: 'Settings',
  icon: 'settings',
  needs: 'viewer',
};

/** All places, in the order of the sidebar; the settings stand below them. */
const GROUPS: readonly NavGroup[] = [
  {
    label: null,
    places: [
      OVERVIEW,
      {
        href: '/servers',
        label: 'Servers',
        icon: 'server',
        needs: 'viewer',
        count: { of: 'servers', tone: 'off', words: 'in all' },
      },
      {
        href: '/approvals',
        label: 'Approvals',
        icon: 'shield-check',
        needs: 'viewer',
        count: { of: 'approvals', tone: 'care', words: 'waiting' },
      },
      {
        href: '/notifications',
        label: 'Alerts',
        icon: 'bell',
        needs: 'viewer',
        count: { of: 'alerts', tone: 'bad', words: 'open' },
      },
    ],
  },
  {
    label: 'Operate',
    places: [
      {
        href: '/jobs',
        label: 'Jobs',
        icon: 'list-checks',
        needs: 'viewer',
        also: ['/batches'],
        tabs: [
          { href: '/jobs', label: 'Jobs' },
          { href: '/batches', label: 'Batches' },
        ],
        count: { of: 'jobs', tone: 'busy', words: 'active' },
      },
      { href: '/schedules', label: 'Schedules', icon: 'calendar-clock', needs: 'viewer' },
      { href: '/windows', label: 'Maintenance', icon: 'wrench', needs: 'viewer' },
      { href: '/templates', label: 'Templates', icon: 'boxes', needs: 'viewer' },
    ],
  },
  {
    label: 'Protect',
    places: [
      { href: '/backups', label: 'Backups', icon: 'database-backup', needs: 'viewer', also: ['/snapshots'] },
      {
        href: '/settings/repositories',
        label: 'Repositories',
        icon: 'hard-drive',
        needs: 'administrator',
        also: ['/settings/new-repository'],
      },
    ],
  },
  {
    label: 'Connect',
    places: [
      { href: '/settings/tokens', label: 'Agents & API', icon: 'bot', needs: 'administrator' },
      { href: '/audit', label: 'Audit log', icon: 'scroll-text', needs: 'administrator' },
    ],
  },
];

/** Those that are open to the role. */
export const groupsFor = (role: Role): readonly NavGroup[] =>
  GROUPS.map(({ label, places }) => ({
    label,
    places: places.filter(({ needs }) => covers(role, needs)),
  })).filter(({ places }) => places.length > 0);

const ALL: readonly NavPlace[] = [...GROUPS.flatMap(({ places }) => places), SETTINGS];

/** The navigation entry of a page; `null`: none, such as the user's own account. */
export function placeOf(path: string): NavPlace | null {
  const within = (base: string): boolean => path === base || (base !== '/' && path.startsWith(`${base}/`));
  const found = ALL.filter(({ href, also = [] }) => [href, ...also].some(within));
  return found.toSorted((a, b) => b.href.length - a.href.length)[0] ?? null;
}

interface SettingsPage {
  readonly href: string;
  readonly label: string;
  /** What it is for. */
  readonly help: string;
  readonly needs: Role;
}

/** The settings pages, in the order that a new user needs them. */
const SETTINGS_PAGES: readonly SettingsPage[] = [
  {
    href: '/settings/tokens',
    label: 'API management',
    help: 'Tokens for agents and scripts: what each may do, on which servers, from where, until when.',
    needs: 'administrator',
  },
  {
    href: '/settings/alerts',
    label: 'Alerts',
    help: 'Who is notified of problems: webhooks, and the alert rules.',
    needs: 'viewer',
  },
  {
    href: '/settings/alerts/policy',
    label: 'Alert rules',
    help: 'Which problems become alerts, when, and with what severity.',
    needs: 'viewer',
  },
  {
    href: '/settings/alerts/browser',
    label: 'This browser',
    help: 'Notifications in this browser, even when Drover is not open.',
    needs: 'viewer',
  },
  {
    href: '/settings/repositories',
    label: 'Backup repositories',
    help: 'External locations for encrypted backups.',
    needs: 'administrator',
  },
  {
    href: '/settings/keys',
    label: 'SSH keys',
    help: 'The keys that Drover signs in to servers with, and their lines for authorized_keys.',
    needs: 'operator',
  },
  {
    href: '/settings/users',
    label: 'Users',
    help: 'Who can sign in, and with which role.',
    needs: 'administrator',
  },
  {
    href: '/settings/about',
    label: 'About',
    help: 'Version, database, replicas, proxies, and your address as Drover sees it.',
    needs: 'viewer',
  },
];

export const settingsFor = (role: Role | null): readonly SettingsPage[] =>
  SETTINGS_PAGES.filter(({ needs }) => role !== null && covers(role, needs));

/** Of several addresses with the same prefix, the one that the page belongs to. */
export const settingsPageOf = (path: string): string =>
  SETTINGS_PAGES.map(({ href }) => href)
    .filter((href) => path === href || path.startsWith(`${href}/`))
    .toSorted((a, b) => b.length - a.length)[0] ?? SETTINGS.href;
