import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { Choices, NEW_FORM } from '../../components/form.tsx';
import { page, redirect, type WebRoute } from '../../route.ts';
import { isTheme, THEMES, type Theme } from '../../theme.ts';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';
import { settingsFor } from './settings-navigation.tsx';

export interface SettingsDeps {
  readonly settings: { readonly publicUrl: string | null };
}

const PATH = '/settings';
const APPEARANCE = `${PATH}/appearance`;

const THEME_HELP: Partial<Readonly<Record<Theme, string>>> = { automatic: 'As the system has it.' };

/** What can be set, said so that somebody new finds it. */
export const settingsRoutes = ({ settings }: SettingsDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATH,
    needs: 'viewer',
    handle: ({ visitor, theme }) =>
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
          <form method="post" action={APPEARANCE} class="column">
            <Choices
              state={NEW_FORM}
              name="theme"
              legend="Appearance, in this browser"
              type="radio"
              chosen={[theme]}
              choices={THEMES.map((value) => ({ value, label: value, help: THEME_HELP[value] }))}
            />
            <button type="submit" class="quiet">
              Set
            </button>
          </form>
        </>,
      ),
  },
  {
    method: 'POST',
    path: APPEARANCE,
    needs: 'viewer',
    handle: ({ form }) => {
      const theme = form.get('theme');
      if (!isTheme(theme)) throw new InvalidInput([{ path: '/theme', message: 'Choose one of the themes.' }]);
      return { ...redirect(PATH), theme };
    },
  },
];
