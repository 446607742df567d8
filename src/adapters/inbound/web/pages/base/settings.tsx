import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { Choices, NEW_FORM } from '../../components/form.tsx';
import { page, redirect, type WebRoute } from '../../route.ts';
import { isTheme, THEMES, type Theme } from '../../theme.ts';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';

export interface SettingsDeps {
  readonly settings: { readonly publicUrl: string | null };
}

const PATH = '/settings';
const APPEARANCE = `${PATH}/appearance`;

const THEME_HELP: Partial<Readonly<Record<Theme, string>>> = { automatic: 'Same as the system.' };

/** A path of this service, which the button's page wrote into the form. */
const backOf = (raw: string | null): string =>
  raw !== null && /^\/(?![/\\])[\w\-./]*$/.test(raw) ? raw : PATH;

/** The settings overview, for new users. */
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
          <form method="post" action={APPEARANCE} class="column">
            <Choices
              state={NEW_FORM}
              name="theme"
              legend="Theme, in this browser"
              type="radio"
              chosen={[theme]}
              choices={THEMES.map((value) => ({ value, label: value, help: THEME_HELP[value] }))}
            />
            <button type="submit" class="quiet">
              Save theme
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
      return { ...redirect(backOf(form.get('back'))), theme };
    },
  },
];
