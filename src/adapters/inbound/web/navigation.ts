import type { NavigationCounts } from '../../../application/fleet/count-for-navigation.ts';
import { covers, type Role } from '../../../domain/access/role.ts';
import type { User } from '../../../domain/access/user.ts';
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
        also: ['/changes', '/packages'],
        tabs: [
          { href: '/servers', label: 'Servers' },
          { href: '/changes', label: 'What changed' },
          { href: '/packages', label: 'Packages' },
          { href: '/packages/cves', label: 'Vulnerabilities' },
        ],
        count: { of: 'servers', tone: 'off', words: 'in total' },
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
      {
        href: '/windows',
        label: 'Maintenance',
        icon: 'wrench',
        needs: 'viewer',
        also: ['/policies'],
        tabs: [
          { href: '/windows', label: 'Windows' },
          { href: '/policies', label: 'Patch policies' },
          { href: '/policies/preview', label: 'Next updates' },
        ],
      },
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
      { href: '/settings/tokens', label: 'API management', icon: 'bot', needs: 'administrator' },
      { href: '/audit', label: 'Audit log', icon: 'scroll-text', needs: 'administrator' },
    ],
  },
];

/** Those that are open to everyone. */
export const MAIN_PLACES: readonly NavPlace[] = GROUPS.flatMap(({ places }) =>
  places.filter(({ needs }) => needs === 'viewer'),
);

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
  readonly icon: IconName;
  /** What can be set there, for the search above the list. */
  readonly words: string;
  readonly needs: Role;
}

interface SettingsGroup {
  readonly label: string | null;
  readonly pages: readonly SettingsPage[];
}

/** All settings, in the order of their list. The tokens are in the sidebar, too. */
const SETTINGS_GROUPS: readonly SettingsGroup[] = [
  {
    label: null,
    pages: [
      {
        href: SETTINGS.href,
        label: 'General',
        icon: 'settings',
        needs: 'viewer',
        words: 'theme dark light look rows density public url address time zone overdue',
      },
    ],
  },
  {
    label: 'Access',
    pages: [
      {
        href: '/settings/tokens',
        label: 'API management',
        icon: 'bot',
        needs: 'administrator',
        words: 'agents mcp api tokens rest scripts scopes',
      },
      {
        href: '/settings/users',
        label: 'Users',
        icon: 'users',
        needs: 'administrator',
        words: 'people accounts roles invite two-factor approvals four eyes second person',
      },
      {
        href: '/settings/sign-in',
        label: 'Sign-in',
        icon: 'shield-check',
        needs: 'administrator',
        words: 'single sign-on sso oidc openid provider password break-glass',
      },
      {
        href: '/settings/keys',
        label: 'SSH keys',
        icon: 'key-round',
        needs: 'operator',
        words: 'ssh private public key import fingerprint',
      },
    ],
  },
  {
    label: 'Alerts',
    pages: [
      {
        href: '/settings/alerts',
        label: 'Channels',
        icon: 'send',
        needs: 'administrator',
        words: 'mail e-mail ntfy slack telegram discord webhook chat notifications weekly report quiet hours',
      },
      {
        href: '/settings/alerts/policy',
        label: 'Alert rules',
        icon: 'sliders-horizontal',
        needs: 'viewer',
        words: 'severity mute repeat notify delay notifications',
      },
      {
        href: '/settings/alerts/browser',
        label: 'This browser',
        icon: 'monitor',
        needs: 'viewer',
        words: 'push notifications',
      },
    ],
  },
  {
    label: 'Service',
    pages: [
      {
        href: '/settings/tags',
        label: 'Tags',
        icon: 'tag',
        needs: 'viewer',
        words: 'rename merge remove groups',
      },
      {
        href: '/settings/about',
        label: 'About',
        icon: 'info',
        needs: 'viewer',
        words: 'version database licences replicas instances uptime proxy',
      },
    ],
  },
];

/** Users with roles on some servers only read what is about all of them. */
export const menuRole = ({ role }: User): Role => role ?? 'viewer';

/** Those that are open to the role. */
export const settingsFor = (role: Role): readonly SettingsGroup[] =>
  SETTINGS_GROUPS.map(({ label, pages }) => ({
    label,
    pages: pages.filter(({ needs }) => covers(role, needs)),
  })).filter(({ pages }) => pages.length > 0);

/** The entry of the settings that a page belongs to. */
export function settingOf(path: string): SettingsPage | null {
  const within = (base: string): boolean =>
    path === base || (base !== SETTINGS.href && path.startsWith(`${base}/`));
  const found = SETTINGS_GROUPS.flatMap(({ pages }) => pages).filter(({ href }) => within(href));
  return found.toSorted((one, other) => other.href.length - one.href.length)[0] ?? null;
}
