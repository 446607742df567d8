import type { OwnPasskeys } from '../../../../../application/access/own-passkeys.ts';
import type { PasskeySignIn } from '../../../../../application/access/passkey-sign-in.ts';
import type { Visitor } from '../../../../../application/access/sessions.ts';
import { MAX_PASSKEYS, type Passkey, passkeyNotFound } from '../../../../../domain/access/passkey.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { Card } from '../../components/card.tsx';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Ago } from '../../components/time.tsx';
import { formRoute, idOf, textOf } from '../../form-state.ts';
import { done, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { creationOptions, PasskeyForm, withPasskeyScript } from './passkey-form.tsx';
import { codesPage } from './recovery-codes.tsx';

export interface PasskeyDeps {
  readonly ownPasskeys: Pick<OwnPasskeys, 'list' | 'start' | 'add' | 'rename' | 'remove'>;
  readonly passkeySignIn: Pick<PasskeySignIn, 'isOfferedAt'>;
}

const ACCOUNT = '/account';
const PATH = `${ACCOUNT}/passkeys`;

/** A user's passkeys: added, renamed and removed. */
export const passkeyRoutes = ({ ownPasskeys, passkeySignIn }: PasskeyDeps): readonly WebRoute[] => {
  const newPage = (visit: SignedInVisit, state: FormState, status?: number) =>
    addPage(visit.visitor, { state, isOffered: passkeySignIn.isOfferedAt(visit.origin), status });
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      confirm: true,
      beforeTwoFactor: true,
      handle: (visit) => newPage(visit, NEW_FORM),
    },
    {
      method: 'POST',
      path: `${PATH}/options`,
      needs: 'viewer',
      confirm: true,
      beforeTwoFactor: true,
      handle: async ({ visitor, origin }) =>
        creationOptions(await ownPasskeys.start(visitor, origin), visitor.user),
    },
    formRoute(
      PATH,
      async (visit) => {
        const given = { name: textOf(visit.form, 'name'), answer: visit.form.get('answer') ?? '' };
        const codes = await ownPasskeys.add(visit.visitor, given, visit.origin);
        return codes === null ? { ...redirect(ACCOUNT), about: given.name } : codesPage(codes);
      },
      (visit, state) => newPage(visit, state, 422),
      { needs: 'viewer', confirm: true, beforeTwoFactor: true },
    ),
    {
      method: 'POST',
      path: `${PATH}/:id/rename`,
      needs: 'viewer',
      confirm: true,
      handle: async ({ visitor, params, form }) =>
        done(ACCOUNT, await ownPasskeys.rename(visitor, passkeyId(params['id']), textOf(form, 'name'))),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/remove`,
      needs: 'viewer',
      confirm: true,
      handle: async ({ visitor, params }) => {
        await ownPasskeys.remove(visitor, passkeyId(params['id']));
        return done(ACCOUNT, visitor.user.name);
      },
    },
  ];
};

/** Throws `passkey_not_found`. */
function passkeyId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw passkeyNotFound();
  return id;
}

interface AddShown {
  readonly state: FormState;
  readonly isOffered: boolean;
  readonly status: number | undefined;
}

const addPage = ({ mustSetUpTwoFactor, user }: Visitor, { state, isOffered, status }: AddShown): WebReply =>
  withPasskeyScript(
    page(
      mustSetUpTwoFactor ? null : 'account',
      'Add a passkey',
      <>
        <FormFault state={state} />
        <p>
          A passkey signs you in with the fingerprint, face recognition or PIN of your device, or with a
          security key. It replaces your password and the code.
          {user.passkeys === 0 && !user.hasTotp
            ? ' From then on, your password alone is not enough to sign in, and your other sessions end.'
            : null}
        </p>
        <p class="notice care" data-passkey-missing>
          This browser cannot create a passkey here. Passkeys need JavaScript and HTTPS.
        </p>
        {isOffered ? (
          <PasskeyForm action={PATH} label="Add passkey">
            <Field
              state={state}
              name="name"
              label="Name"
              help="The device, to recognize the passkey later."
              placeholder="Laptop"
              focus
            />
          </PasskeyForm>
        ) : (
          <p class="notice care">
            Passkeys belong to a host name. Open Drover at a host name over HTTPS, not at an IP address.
          </p>
        )}
        <p>
          <a href={mustSetUpTwoFactor ? `${ACCOUNT}/totp` : ACCOUNT}>
            {mustSetUpTwoFactor ? 'Use an authenticator app' : 'Cancel'}
          </a>
        </p>
      </>,
      status,
    ),
  );

interface PasskeyListProps {
  readonly passkeys: readonly Passkey[];
  readonly now: Instant;
}

/** The passkeys on the page of the account. */
export const PasskeyList = ({ passkeys, now }: PasskeyListProps) => (
  <Card
    title="Passkeys"
    note={passkeys.length}
    actions={
      passkeys.length < MAX_PASSKEYS ? (
        <a class="button quiet small" href={PATH}>
          <Icon name="plus" />
          Add a passkey
        </a>
      ) : null
    }
    flush
  >
    <DataTable
      rows={passkeys}
      keyOf={({ id }) => id}
      empty={
        <Empty icon="key-round" title="No passkeys yet">
          With a passkey, you sign in without a password: with your fingerprint, your face or a security key.
        </Empty>
      }
      columns={[
        { head: 'Name', cell: (passkey) => <NameForm {...passkey} /> },
        { head: 'Site', kind: 'code', cell: ({ rpId }) => rpId },
        { head: 'Added', phone: 'label', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
        { head: 'Last used', phone: 'label', cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} now={now} /> },
        {
          head: 'Actions',
          kind: 'actions',
          cell: ({ id, name }) => (
            <RowButton action={`${PATH}/${id}/remove`} label="Remove" about={name} danger />
          ),
        },
      ]}
    />
  </Card>
);

const NameForm = ({ id, name }: Passkey) => (
  <form method="post" action={`${PATH}/${id}/rename`} class="row">
    <label class="hidden" for={`passkey-${id}`}>
      Name of the passkey {name}
    </label>
    <input id={`passkey-${id}`} name="name" value={name} maxlength={60} required />
    <button type="submit" class="quiet small" aria-label={`Save the name of ${name}`}>
      Save
    </button>
  </form>
);
