import type { DefaultTimeZone } from '../../../../../application/service/default-time-zone.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import { Card } from '../../components/card.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { Choices, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { TimeZoneField } from '../../components/time-zone-field.tsx';
import { submit } from '../../form-state.ts';
import { done, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { DENSITIES, type Density, isDensity, isTheme, THEMES, type Theme } from '../../theme.ts';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';

export interface SettingsDeps {
  readonly defaultTimeZone: Pick<DefaultTimeZone, 'get' | 'set'>;
  readonly settings: { readonly publicUrl: string | null; readonly backupStaleHours: number };
}

const PATH = '/settings';
const APPEARANCE = `${PATH}/appearance`;
const TIME_ZONE = `${PATH}/time-zone`;

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
  <Card title="From the environment" note="restart Drover after a change">
    <dl class="facts roomy">
      <dt>Public address</dt>
      <dd>
        {publicUrl === null ? <Status tone="off">not set</Status> : <strong>{publicUrl}</strong>}
        <span class="help">
          Set by <code>SERVICE_PUBLIC_URL</code>; used by agents, e-mails and invitation links.
          {publicUrl === null ? ' To use the address of your browser:' : ''}
        </span>
        {publicUrl === null ? <Copyable id="public-url" text={`SERVICE_PUBLIC_URL=${origin}`} /> : null}
      </dd>
      <dt>A backup is overdue after</dt>
      <dd>
        {count(backupStaleHours, 'hour')}
        <span class="help">
          Set by <code>METRICS_BACKUP_STALE_HOURS</code>.
        </span>
      </dd>
    </dl>
  </Card>
);

interface StoredProps {
  readonly zone: string | null;
  readonly state: FormState;
  readonly mayEdit: boolean;
}

/** What administrators change here, and where the other settings are. */
const Stored = ({ zone, state, mayEdit }: StoredProps) => (
  <Card title="New schedules" note="for all users">
    {mayEdit ? (
      <form method="post" action={TIME_ZONE} class="column">
        <FormFault state={state} />
        <TimeZoneField
          state={state}
          value={zone ?? ''}
          isNew={false}
          required={false}
          help="New schedules and maintenance windows start with it. Empty: the time zone of your browser. Existing ones keep their own, and times are shown in the time zone of your browser."
        />
        <button type="submit" class="quiet">
          Save time zone
        </button>
      </form>
    ) : (
      <p>
        {zone ?? 'The time zone of your browser'}
        <span class="help">New schedules and maintenance windows start with it.</span>
      </p>
    )}
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

async function show(
  { settings, defaultTimeZone }: SettingsDeps,
  { visitor, theme, density, origin }: SignedInVisit,
  state = NEW_FORM,
  status = 200,
): Promise<WebReply> {
  return page(
    'settings',
    'Settings',
    <div class="stack">
      <PlaceholderHost publicUrl={settings.publicUrl} origin={origin} />
      <Look theme={theme} density={density} />
      <Stored
        zone={await defaultTimeZone.get()}
        state={state}
        mayEdit={visitor.actor.hasRole('administrator')}
      />
      <Configured settings={settings} origin={origin} />
    </div>,
    status,
  );
}

/** General settings: the look in this browser, what is stored for all, and the configuration. */
export const settingsRoutes = (deps: SettingsDeps): readonly WebRoute[] => [
  { method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => show(deps, visit) },
  {
    method: 'POST',
    path: TIME_ZONE,
    needs: 'administrator',
    handle: (visit) =>
      submit(
        visit.form,
        async () => {
          const zone = visit.form.get('time_zone') ?? '';
          await deps.defaultTimeZone.set(visit.visitor.actor, zone);
          return done(PATH, zone === '' ? 'that of the browser' : zone);
        },
        (state) => show(deps, visit, state, 422),
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
