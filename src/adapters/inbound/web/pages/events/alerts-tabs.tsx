import { covers, type Role } from '../../../../../domain/access/role.ts';
import { SettingsNavigation } from '../base/settings-navigation.tsx';

export const ALERTS_PATH = '/settings/alerts';
export const POLICY_PATH = `${ALERTS_PATH}/policy`;
export const PUSH_PATH = `${ALERTS_PATH}/browser`;

const TABS: readonly { readonly href: string; readonly label: string; readonly needs: Role }[] = [
  { href: ALERTS_PATH, label: 'Webhooks', needs: 'administrator' },
  { href: POLICY_PATH, label: 'Alert rules', needs: 'viewer' },
  { href: PUSH_PATH, label: 'This browser', needs: 'viewer' },
];

/** The ways between the pages on who is told of what. */
export function AlertsTabs({ at, role }: { readonly at: string; readonly role: Role | null }) {
  return (
    <>
      <SettingsNavigation at={ALERTS_PATH} role={role} />
      <nav class="tabs" aria-label="Alerts">
        {TABS.filter(({ needs }) => role !== null && covers(role, needs)).map(({ href, label }) => (
          <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
            {label}
          </a>
        ))}
        <a href="/notifications">Open alerts</a>
      </nav>
    </>
  );
}
