import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import { Card } from '../../components/card.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Choices, NEW_FORM } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { page, redirect, type SignedInVisit, type WebRoute } from '../../route.ts';
import { DENSITIES, type Density, isDensity, isTheme, THEMES, type Theme } from '../../theme.ts';

export interface SettingsDeps {
  readonly settings: { readonly publicUrl: string | null; readonly backupStaleHours: number };
}

const PATH = '/settings';
const APPEARANCE = `${PATH}/appearance`;

const THEME_HELP: Readonly<Record<Theme, string>> = {
  automatic: 'Same as your system.',
  light: 'Dark text on white.',
  dark: 'Light text on black.',
};
const DENSITY_HELP: Readonly<Record<Density, string>> = {
  comfortable: 'Room to touch and read.',
  compact: 'More rows on a screen.',
};

/** A path of this service, which the button's page wrote into the form. */
const backOf = (raw: string | null): string =>
  raw !== null && /^\/(?![/\\])[\w\-./]*$/.test(raw) ? raw : PATH;

interface ConfiguredProps {
  readonly settings: SettingsDeps['settings'];
  /** How this browser reached the service. */
  readonly origin: string;
}

/** What the configuration of the service says, and which variable says it. */
const Configured = ({ settings: { publicUrl, backupStaleHours }, origin }: ConfiguredProps) => (
  <Card title="Service" note="environment variables: restart Drover after a change">
    <dl class="facts roomy">
      <dt>Public address</dt>
      <dd>
        {publicUrl === null ? <Status tone="care">not set</Status> : <strong>{publicUrl}</strong>}
        <span class="help">
          <code>SERVICE_PUBLIC_URL</code>, used by agents, e-mails and invitation links.
          {publicUrl === null ? ' Until it is set, they get the address that your browser uses:' : ''}
        </span>
        {publicUrl === null ? <Copyable id="public-url" text={`SERVICE_PUBLIC_URL=${origin}`} /> : null}
      </dd>
      <dt>A backup is overdue after</dt>
      <dd>
        {count(backupStaleHours, 'hour')}
        <span class="help">
          <code>METRICS_BACKUP_STALE_HOURS</code>
        </span>
      </dd>
      <dt>Time zone</dt>
      <dd>
        that of your browser
        <span class="help">
          Schedules and maintenance windows have their own. Exports and the API use UTC.
        </span>
      </dd>
    </dl>
  </Card>
);

/** The look of this browser. */
const Look = ({ theme, density }: Pick<SignedInVisit, 'theme' | 'density'>) => (
  <Card title="Appearance" note="in this browser">
    <form method="post" action={APPEARANCE} data-look>
      <Choices
        state={NEW_FORM}
        name="theme"
        legend="Theme"
        type="radio"
        cards
        chosen={[theme]}
        choices={THEMES.map((value) => ({ value, label: capital(value), help: THEME_HELP[value] }))}
      />
      <Choices
        state={NEW_FORM}
        name="density"
        legend="Rows of tables"
        type="radio"
        cards
        chosen={[density]}
        choices={DENSITIES.map((value) => ({ value, label: capital(value), help: DENSITY_HELP[value] }))}
      />
      <button type="submit">Save appearance</button> <output class="quiet" />
    </form>
  </Card>
);

/** General settings: the configuration, and the look in this browser. */
export const settingsRoutes = ({ settings }: SettingsDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATH,
    needs: 'viewer',
    handle: ({ theme, density, origin }) =>
      page(
        'settings',
        'Settings',
        <div class="stack">
          <Look theme={theme} density={density} />
          <Configured settings={settings} origin={origin} />
        </div>,
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
        toast: 'Appearance saved in this browser',
      };
    },
  },
];
