import type { PasskeyBrowser, PasskeySignIn } from '../../../../../application/access/passkey-sign-in.ts';
import type { FormState } from '../../components/form.tsx';
import { formRoute, nextPath, submit } from '../../form-state.ts';
import { redirect, type SignedInVisit, type Visit, type WebReply, type WebRoute } from '../../route.ts';
import { PasskeyForm, requestOptions } from './passkey-form.tsx';

export interface PasskeySignInDeps {
  readonly passkeySignIn: Pick<
    PasskeySignIn,
    'isOfferedAt' | 'start' | 'finish' | 'startCode' | 'finishCode' | 'startConfirm' | 'finishConfirm'
  >;
}

/** The pages that are shown again after a refusal. */
interface Pages {
  readonly signIn: (visit: Visit, state: FormState) => Promise<WebReply>;
  readonly code: (visit: SignedInVisit, state: FormState) => WebReply;
  readonly confirm: (visit: SignedInVisit, state: FormState) => WebReply;
}

const browserOf = ({ browser, origin }: Visit): PasskeyBrowser => ({ ...browser, origin });
const answerIn = ({ form }: Visit): string => form.get('answer') ?? '';
const nextIn = ({ form }: Visit): string => nextPath(form.get('next'));

/** A passkey in place of the password, of the code, and of the password that is asked for again. */
export const passkeySteps = ({ passkeySignIn }: PasskeySignInDeps, pages: Pages): readonly WebRoute[] => [
  {
    method: 'POST',
    path: '/sign-in/passkey/options',
    needs: 'nobody',
    handle: async ({ origin }) => {
      const { request, secret } = await passkeySignIn.start(origin);
      return { ...requestOptions(request), passkey: secret };
    },
  },
  {
    method: 'POST',
    path: '/sign-in/passkey',
    needs: 'nobody',
    handle: (visit) =>
      submit(
        visit.form,
        async () => {
          const { passkeySecret } = visit;
          const answer = answerIn(visit);
          const { secret, device } = await passkeySignIn.finish(passkeySecret, answer, browserOf(visit));
          return { ...redirect(nextIn(visit), secret), device, passkey: null };
        },
        (state) => pages.signIn(visit, state),
      ),
  },
  {
    method: 'POST',
    path: '/code/passkey/options',
    needs: 'code',
    handle: async ({ visitor, origin }) => requestOptions(await passkeySignIn.startCode(visitor, origin)),
  },
  formRoute(
    '/code/passkey',
    async (visit) => {
      const answer = answerIn(visit);
      const { secret, device } = await passkeySignIn.finishCode(visit.visitor, answer, browserOf(visit));
      return { ...redirect(nextIn(visit), secret), device };
    },
    (visit, state) => pages.code(visit, state),
    { needs: 'code' },
  ),
  {
    method: 'POST',
    path: '/confirm/passkey/options',
    needs: 'viewer',
    beforeTwoFactor: true,
    handle: async ({ visitor, origin }) => requestOptions(await passkeySignIn.startConfirm(visitor, origin)),
  },
  formRoute(
    '/confirm/passkey',
    async (visit) => {
      const answer = answerIn(visit);
      const secret = await passkeySignIn.finishConfirm(visit.visitor, answer, browserOf(visit));
      return redirect(nextIn(visit), secret);
    },
    (visit, state) => pages.confirm(visit, state),
    { needs: 'viewer', beforeTwoFactor: true },
  ),
];

interface PasskeyStepProps {
  readonly action: '/sign-in/passkey' | '/code/passkey' | '/confirm/passkey';
  readonly next: string | null;
  readonly label: string;
}

/** The form beside that for a password or a code. */
export const PasskeyStep = ({ action, next, label }: PasskeyStepProps) => (
  <PasskeyForm action={action} label={label} quiet={action === '/sign-in/passkey'}>
    <input type="hidden" name="next" value={nextPath(next)} />
  </PasskeyForm>
);
