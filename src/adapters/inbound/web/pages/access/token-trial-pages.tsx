import type { TryToken } from '../../../../../application/access/try-token.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { type InputProblem, InvalidInput } from '../../../../../domain/base/errors.ts';
import { isIpLiteral } from '../../../../../domain/events/outbound-address.ts';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { submit } from '../../form-state.ts';
import { page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { TOKENS_PATH } from './token-request.ts';
import { TrialForm, TrialResult } from './token-trial.tsx';

interface TokenTrialDeps {
  readonly tryToken: Pick<TryToken, 'execute'>;
  readonly listServers: Pick<ListServers, 'names'>;
}

export const TRY_PATH = `${TOKENS_PATH}/test`;

/** What a secret could do from an address. */
export const tokenTrialRoutes = (deps: TokenTrialDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: TRY_PATH,
    needs: 'administrator',
    handle: ({ browser }) => tryPage(NEW_FORM, browser.address),
  },
  { method: 'POST', path: TRY_PATH, needs: 'administrator', handle: (visit) => tryToken(deps, visit) },
];

const tryPage = (state: FormState, address: string, status = 200): WebReply =>
  page(
    'settings',
    'Test a token',
    <>
      <FormFault state={state} />
      <TrialForm state={state} path={TRY_PATH} address={address} />
    </>,
    status,
  );

const tryToken = (deps: TokenTrialDeps, visit: SignedInVisit): Promise<WebReply> => {
  const { form, browser, visitor, now } = visit;
  const address = (form.get('address') ?? '').trim() || browser.address;
  return submit(
    form,
    async () => {
      // A copied header brings its first word with it.
      const secret = (form.get('secret') ?? '').trim().replace(/^Bearer\s+/i, '');
      const problems: InputProblem[] = [];
      if (secret === '') problems.push({ path: '/secret', message: 'Paste the secret here.' });
      if (!isIpLiteral(address))
        problems.push({ path: '/address', message: 'Enter an IP address, such as 192.0.2.7.' });
      if (problems.length > 0) throw new InvalidInput(problems);
      const trial = await deps.tryToken.execute(visitor.actor, { secret, address });
      const servers = await deps.listServers.names(visitor.actor, trial.token?.allowedServerIds ?? []);
      return page(
        'settings',
        trial.token === null ? 'Token test' : `Test of token ${trial.token.name}`,
        <>
          <TrialResult trial={trial} servers={servers} address={address} now={now} />
          <h2>Test another</h2>
          <TrialForm state={NEW_FORM} path={TRY_PATH} address={address} />
        </>,
      );
    },
    (state) => tryPage(state, address, 422),
  );
};
