import { Field, FormFault } from '../../components/form.tsx';
import { type PageReply, page } from '../../route.ts';

/** Beside the fields of the form itself. */
export const PASSWORD_FIELD = 'drover_password';

interface HeldForm {
  readonly action: string;
  readonly form: URLSearchParams;
  /** Why the password was not taken. */
  readonly fault: string | null;
  /** Where one proves it without a password; `null`: nowhere. */
  readonly otherWay: string | null;
}

/** A form that waits for the password: it is sent once more with it, and nothing has to be typed again. */
export function heldFormPage({ action, form, fault, otherWay }: HeldForm): PageReply {
  const state = { typed: new URLSearchParams(), problems: [], fault };
  return page(
    'account',
    "Confirm it's you",
    <form method="post" action={action}>
      <FormFault state={state} />
      <p>
        Enter your password again, in case someone else uses your browser. What you filled in goes on after
        that.
      </p>
      <Held form={form} />
      <Field
        state={state}
        name={PASSWORD_FIELD}
        label="Password"
        type="password"
        autocomplete="current-password"
        focus
      />
      <div class="row">
        <button type="submit">Continue</button>
        {otherWay === null ? null : <a href={otherWay}>Use another way, and fill in the form again</a>}
      </div>
    </form>,
    fault === null ? 403 : 401,
  );
}

/** A form that waits for a sign-in in another tab: nothing has to be typed again. */
export const signedOutPage = (action: string, form: URLSearchParams): PageReply =>
  page(
    null,
    'You are signed out',
    <form method="post" action={action}>
      <p>
        Nothing was saved.{' '}
        <a href="/sign-in" target="_blank">
          Sign in in a new tab
        </a>
        , then come back here and send the form again: this page keeps what you filled in.
      </p>
      <Held form={form} />
      <button type="submit">Send again</button>
    </form>,
    401,
  );

const Held = ({ form }: Pick<HeldForm, 'form'>) => (
  <>
    {[...form]
      .filter(([name]) => name !== PASSWORD_FIELD)
      .map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
  </>
);
