import type { Role } from '../../../../domain/access/role.ts';
import { settingOf, settingsFor } from '../navigation.ts';
import { Icon } from './icon.tsx';

/** The settings, beside one of them; a refresh leaves what was typed there. */
export function SettingsList({ role, path }: { readonly role: Role; readonly path: string }) {
  const at = settingOf(path)?.href;
  return (
    <nav class="list-nav" aria-label="Settings" hx-morph-skip>
      <input
        type="search"
        data-find-boxes="a"
        placeholder="Find a setting"
        aria-label="Find a setting"
        hidden
      />
      {settingsFor(role).map((group) => (
        <div key={group.label ?? ''}>
          {group.label === null ? null : <p class="group">{group.label}</p>}
          {group.pages.map(({ href, label, icon, words }) => (
            <a key={href} href={href} aria-current={href === at ? 'page' : undefined} data-words={words}>
              <Icon name={icon} />
              {label}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}
