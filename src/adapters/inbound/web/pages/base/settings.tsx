import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Choices, NEW_FORM } from '../../components/form.tsx';
import { page, redirect, type WebRoute } from '../../route.ts';
import { DENSITIES, isDensity, isTheme, THEMES, type Theme } from '../../theme.ts';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';

export interface SettingsDeps {
  readonly settings: { readonly publicUrl: string | null; readonly backupStaleHours: number };
}

const PATH = '/settings';
const APPEARANCE = `${PATH}/appearance`;

const THEME_HELP: Partial<Readonly<Record<Theme, string>>> = { automatic: 'Same as your system.' };

/** A path of this service, which the button's page wrote into the form. */
const backOf = (raw: string | null): string =>
  raw !== null && /^\/(?![/\\])[\w\-./]*$/.test(raw) ? raw : PATH;

/** What the configuration of the service says, and which variable says it. */
const Configured = ({ publicUrl, backupStaleHours }: SettingsDeps['settings']) => (
  <>
    <h2>Service</h2>
    <dl class="facts">
      <dt>Public URL</dt>
      <dd>
        {publicUrl ?? 'not set'}
        <p class="help">
          <code>SERVICE_PUBLIC_URL</code>
        </p>
      </dd>
      <dt>A backup is overdue after</dt>
      <dd>
        {count(backupStaleHours, 'hour')}
        <p class="help">
          <code>METRICS_BACKUP_STALE_HOURS</code>
        </p>
      </dd>
      <dt>Time zone</dt>
      <dd>
        that of your browser
        <p class="help">Each schedule and maintenance window has its own. Exports and the API use UTC.</p>
      </dd>
    </dl>
    <p class="quiet">Variables are read when the service starts.</p>
  </>
);

/** General settings: the configuration, and the look in this browser. */
export const settingsRoutes = ({ settings }: SettingsDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATH,
    needs: 'viewer',
    handle: ({ visitor, theme, density }) =>
      page(
        'settings',
        'Settings',
        <>
          {visitor.actor.role === 'administrator' ? <PlaceholderHost publicUrl={settings.publicUrl} /> : null}
          <Configured {...settings} />
          <h2>Look</h2>
          <form method="post" action={APPEARANCE} class="column">
            <Choices
              state={NEW_FORM}
              name="theme"
              legend="Theme, in this browser"
              type="radio"
              chosen={[theme]}
              choices={THEMES.map((value) => ({ value, label: value, help: THEME_HELP[value] }))}
            />
            <Choices
              state={NEW_FORM}
              name="density"
              legend="Rows of tables, in this browser"
              type="radio"
              chosen={[density]}
              choices={DENSITIES.map((value) => ({ value, label: value }))}
            />
            <button type="submit">Save look</button>
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
      const density = form.get('density');
      if (!isTheme(theme) && (theme !== null || !isDensity(density)))
        throw new InvalidInput([{ path: '/theme', message: 'Choose one of the themes.' }]);
      return {
        ...redirect(backOf(form.get('back'))),
        ...(isTheme(theme) ? { theme } : {}),
        ...(isDensity(density) ? { density } : {}),
        toast: 'Look saved in this browser',
      };
    },
  },
];
