import { page, type WebRoute } from '../route.ts';
import { PlaceholderHost } from '../views/placeholder-host.tsx';
import { settingsFor } from '../views/settings-navigation.tsx';

export interface SettingsDeps {
  readonly settings: { readonly publicUrl: string | null };
}

/** What can be set, said so that somebody new finds it. */
export const settingsRoutes = ({ settings }: SettingsDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: '/settings',
    needs: 'viewer',
    handle: ({ visitor }) =>
      page(
        'settings',
        'Settings',
        <>
          {visitor.actor.role === 'administrator' ? <PlaceholderHost publicUrl={settings.publicUrl} /> : null}
          <ul class="sections">
            {settingsFor(visitor.actor.role).map(({ href, label, help }) => (
              <li key={href}>
                <a href={href}>{label}</a>
                <p class="help">{help}</p>
              </li>
            ))}
          </ul>
        </>,
      ),
  },
];
