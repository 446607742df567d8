import { covers, type Role } from '../../../../../domain/access/role.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { IconName } from '../../components/icon-names.ts';
import { groupsFor, SETTINGS, settingsFor } from '../../navigation.ts';
import type { Hit } from './search-ranking.ts';

export const placesFor = (role: Role): readonly Hit[] => {
  const places = [...groupsFor(role).flatMap((group) => group.places), SETTINGS];
  const settings = settingsFor(role)
    .flatMap(({ pages }) => pages)
    .filter(({ href }) => href !== SETTINGS.href);
  const lists = places.flatMap(({ icon, tabs = [] }) => tabs.map((tab) => ({ ...tab, icon })));
  const all: readonly Hit[] = [
    ...places.map(({ href, label, icon }) => ({ href, label, icon })),
    ...lists,
    { href: '/account', label: 'Account', icon: 'user', keywords: 'password passkey two-factor sessions' },
    ...settings.map(({ href, label, words }) => ({
      href,
      label,
      icon: 'settings' as const,
      keywords: words,
    })),
  ];
  // The first tab of a place is the place itself.
  return all.filter(({ href }, index) => all.findIndex((each) => each.href === href) === index);
};

const ACTIONS: readonly (Hit & { readonly needs: Role })[] = [
  { href: '/servers/new', icon: 'plus', label: 'Add a server', needs: 'operator', keywords: 'new host' },
  {
    href: '/batches/new',
    icon: 'play',
    label: 'Run a job on many servers',
    needs: 'operator',
    keywords: 'start batch',
  },
  {
    href: '/batches/new?type=backup',
    icon: 'database-backup',
    label: 'Back up servers …',
    needs: 'operator',
    keywords: 'backup',
  },
  {
    href: '/batches/new?type=os_patch',
    icon: 'package',
    label: 'Update packages …',
    needs: 'operator',
    keywords: 'upgrade patch security',
  },
  {
    href: '/batches/new?type=container_patch',
    icon: 'boxes',
    label: 'Update containers …',
    needs: 'operator',
  },
  {
    href: '/batches/new?type=host_reboot',
    icon: 'power',
    label: 'Reboot servers …',
    needs: 'operator',
    keywords: 'restart',
  },
  { href: '/backups', icon: 'history', label: 'Restore from a backup …', needs: 'operator' },
  {
    href: '/schedules/new',
    icon: 'calendar-clock',
    label: 'New schedule',
    needs: 'operator',
    keywords: 'add',
  },
  {
    href: '/windows/new',
    icon: 'wrench',
    label: 'New maintenance window',
    needs: 'operator',
    keywords: 'add',
  },
  { href: '/templates/new', icon: 'boxes', label: 'New template', needs: 'operator', keywords: 'add' },
  {
    href: '/settings/tokens/new',
    icon: 'bot',
    label: 'New token for an agent',
    needs: 'administrator',
    keywords: 'add create',
  },
  {
    href: '/settings/alerts/new-channel',
    icon: 'bell',
    label: 'Add alert channel',
    needs: 'administrator',
    keywords: 'new',
  },
  {
    href: '/settings/new-repository',
    icon: 'hard-drive',
    label: 'New repository',
    needs: 'administrator',
    keywords: 'add',
  },
];

export const actionsFor = (role: Role): readonly Hit[] => ACTIONS.filter(({ needs }) => covers(role, needs));

interface ServerAction {
  readonly icon: IconName;
  /** Before the name of the server. */
  readonly label: string;
  readonly keywords: string;
  readonly path: string;
  readonly feature?: keyof Server['features'];
  /** Viewers open these pages too. */
  readonly isPage?: true;
}

const start = (type: string): string => `/jobs/new?type=${type}`;

/** What users do with one server: found by its name and a verb, such as "back up nas". */
const SERVER_ACTIONS: readonly ServerAction[] = [
  {
    icon: 'database-backup',
    label: 'Back up',
    keywords: 'backup',
    path: start('backup'),
    feature: 'backup',
  },
  {
    icon: 'package',
    label: 'Update packages on',
    keywords: 'upgrade patch',
    path: start('os_patch'),
    feature: 'os_patch',
  },
  {
    icon: 'boxes',
    label: 'Update containers on',
    keywords: 'upgrade images docker',
    path: start('container_patch'),
    feature: 'docker',
  },
  { icon: 'power', label: 'Reboot', keywords: 'restart', path: start('host_reboot') },
  {
    icon: 'history',
    label: 'Restore a backup of',
    keywords: 'snapshots',
    path: '/backups',
    feature: 'backup',
    isPage: true,
  },
  {
    icon: 'boxes',
    label: 'Containers of',
    keywords: 'docker logs stacks',
    path: '/containers',
    feature: 'docker',
    isPage: true,
  },
  { icon: 'list-checks', label: 'Jobs of', keywords: 'runs logs', path: '/jobs', isPage: true },
  { icon: 'settings', label: 'Settings of', keywords: 'edit tags notes', path: '/settings', isPage: true },
];

/** The actions whose words the query has, and the rest of it: the name of a server. */
export function verbsIn(q: string): readonly { readonly action: ServerAction; readonly name: string }[] {
  const words = q.toLowerCase().split(/\s+/);
  return SERVER_ACTIONS.flatMap((action) => {
    const known = `${action.label.toLowerCase()} ${action.keywords}`.split(' ');
    const rest = words.filter((word) => !known.some((each) => each === word || isStart(word, each)));
    return rest.length === 0 || rest.length === words.length ? [] : [{ action, name: rest.join(' ') }];
  });
}

/** Two letters start too many names of servers. */
const isStart = (word: string, of: string): boolean => word.length > 2 && of.startsWith(word);

export const actionsOn = (
  { id, name, features }: Server,
  mayAct: boolean,
  actions: readonly ServerAction[] = SERVER_ACTIONS,
): readonly Hit[] =>
  actions
    .filter(({ feature, isPage }) => (isPage || mayAct) && (feature === undefined || features[feature]))
    .map(({ icon, label, path, isPage }) => ({
      href: `/servers/${id}${path}`,
      icon,
      label: `${label} ${name}${isPage ? '' : ' …'}`,
    }));
