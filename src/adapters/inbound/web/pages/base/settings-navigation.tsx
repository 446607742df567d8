import { covers, type Role } from '../../../../../domain/access/role.ts';

interface SettingsPage {
  readonly href: string;
  readonly label: string;
  /** What one finds there. */
  readonly help: string;
  readonly needs: Role;
}

/** The pages of the settings, in the order in which somebody new needs them. */
export const SETTINGS_PAGES: readonly SettingsPage[] = [
  {
    href: '/settings/tokens',
    label: 'API management',
    help: 'Tokens for agents and scripts: what each may do, on which servers, from where, until when.',
    needs: 'administrator',
  },
  {
    href: '/settings/alerts',
    label: 'Alerts',
    help: 'Who is notified of problems: webhooks, this browser, and the alert rules.',
    needs: 'viewer',
  },
  {
    href: '/settings/repositories',
    label: 'Backup repositories',
    help: 'Places outside the service where servers keep encrypted backups.',
    needs: 'administrator',
  },
  {
    href: '/settings/keys',
    label: 'SSH keys',
    help: 'What the service signs in to servers with, and the lines for their authorized_keys.',
    needs: 'operator',
  },
  {
    href: '/settings/users',
    label: 'Users',
    help: 'Who may sign in, and as what.',
    needs: 'administrator',
  },
  {
    href: '/schedules',
    label: 'Schedules',
    help: 'Recurring jobs.',
    needs: 'viewer',
  },
  {
    href: '/windows',
    label: 'Maintenance windows',
    help: 'When servers may be changed.',
    needs: 'viewer',
  },
  {
    href: '/templates',
    label: 'Templates',
    help: 'Compose projects to be deployed on many servers.',
    needs: 'viewer',
  },
  {
    href: '/audit',
    label: 'Audit',
    help: 'Who did what, when, from where, and the result.',
    needs: 'administrator',
  },
  {
    href: '/settings/about',
    label: 'About',
    help: 'Version, database, replicas, proxies, and the address that the service sees you at.',
    needs: 'viewer',
  },
];

export const settingsFor = (role: Role | null): readonly SettingsPage[] =>
  SETTINGS_PAGES.filter(({ needs }) => role !== null && covers(role, needs));

/** The ways between the pages of the settings, as far as they are open to the role. */
export function SettingsNavigation({
  at,
  role = 'administrator',
}: {
  readonly at: string;
  readonly role?: Role | null;
}) {
  return (
    <nav class="tabs" aria-label="Settings">
      {settingsFor(role).map(({ href, label }) => (
        <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
