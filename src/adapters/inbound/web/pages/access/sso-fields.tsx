import type { SsoRequest, SsoSettings, TwoFactorSign } from '../../../../../domain/access/sso-provider.ts';
import {
  DEFAULT_GROUPS_CLAIM,
  DEFAULT_SCOPES,
  rolesText,
  TWO_FACTOR_SIGNS,
} from '../../../../../domain/access/sso-provider.ts';
import { Choices, Field, type FormState } from '../../components/form.tsx';
import { textOf } from '../../form-state.ts';

const TWO_FACTOR: Readonly<Record<TwoFactorSign, { readonly label: string; readonly help: string }>> = {
  never: { label: 'Never', help: 'Users whose role requires it also set up two-factor authentication here.' },
  claims: {
    label: 'If its token says so',
    help: 'The token has "mfa" in amr, or a class such as "phr" in acr.',
  },
  always: { label: 'Always', help: 'The provider requires two factors from every user of Drover.' },
};

interface Props {
  readonly state: FormState;
  /** Absent: a new provider. */
  readonly settings?: SsoSettings;
}

/** The fields of a provider except its name. */
export const SsoFields = ({ state, settings }: Props) => (
  <>
    <Field
      state={state}
      name="label"
      label="Name on the button"
      value={settings?.label ?? ''}
      help="The sign-in page shows: Sign in with NAME."
    />
    <Field
      state={state}
      name="issuer"
      label="Issuer"
      value={settings?.issuer ?? ''}
      placeholder="https://auth.example.org"
      help="The address without /.well-known/openid-configuration, exactly as the provider calls itself."
    />
    <Field state={state} name="client_id" label="Client ID" value={settings?.clientId ?? ''} />
    <Field
      state={state}
      name="client_secret"
      label="Client secret"
      type="password"
      autocomplete="new-password"
      required={settings === undefined}
      help={`Drover stores it encrypted.${settings === undefined ? '' : ' Empty: no change.'}`}
    />
    <Field
      state={state}
      name="scopes"
      label="Scopes"
      value={settings?.scopes ?? DEFAULT_SCOPES}
      help="Separated by blanks. Some providers send groups only with the scope groups."
    />
    <Field
      state={state}
      name="groups_claim"
      label="Groups claim"
      value={settings?.groupsClaim ?? DEFAULT_GROUPS_CLAIM}
      help="The claim with the groups of a user. Dots lead into objects, such as realm_access.roles."
    />
    <Field
      state={state}
      name="roles"
      label="Roles of groups"
      type="lines"
      required={false}
      value={rolesText(settings?.roles ?? [])}
      placeholder={'drover-admins=administrator\nstaff=viewer'}
      help="One GROUP=ROLE in each line, or GROUP=ROLE@TAG for servers with a tag. A user gets the highest role of their groups. Users in none of these groups have no access."
    />
    <Choices
      state={state}
      name="two_factor"
      legend="Counts as two-factor authentication"
      type="radio"
      chosen={[settings?.twoFactor ?? 'never']}
      choices={TWO_FACTOR_SIGNS.map((value) => ({ value, ...TWO_FACTOR[value] }))}
    />
    <Choices
      state={state}
      name="allow_private"
      legend="Private addresses"
      type="checkbox"
      chosen={settings?.allowPrivate ? ['on'] : []}
      choices={[
        {
          value: 'on',
          label: 'Allow private addresses for this provider',
          help: 'Select this if the provider is in your own network.',
        },
      ]}
    />
  </>
);

/** A form's fields; the secret is read separately. */
export const requestOf = (form: URLSearchParams): SsoRequest => ({
  label: textOf(form, 'label'),
  issuer: textOf(form, 'issuer'),
  clientId: textOf(form, 'client_id'),
  scopes: textOf(form, 'scopes'),
  groupsClaim: textOf(form, 'groups_claim'),
  roles: form.get('roles') ?? '',
  twoFactor: form.get('two_factor') ?? 'never',
  allowPrivate: form.get('allow_private') === 'on',
});
