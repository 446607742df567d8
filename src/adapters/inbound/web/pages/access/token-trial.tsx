import type { TokenTrial } from '../../../../../application/access/try-token.ts';
import { type ApiToken, approvalMode, isExpired } from '../../../../../domain/access/api-token.ts';
import { ruleText } from '../../../../../domain/access/approval-rule.ts';
import { SCOPE_TITLES } from '../../../../../domain/access/scope.ts';
import { DAY, type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Field, type FormState } from '../../components/form.tsx';
import { Status } from '../../components/status.tsx';
import { LocalTimes } from '../../components/time.tsx';
import type { ServerNames } from '../events/audit-words.ts';
import { APPROVAL_CHOICES, SCOPE_HELP } from './token-form.tsx';
import { toolsOf } from './token-presets.tsx';

/** A secret to be tried. It is never sent back. */
export function TrialForm({
  state,
  path,
  address,
}: {
  readonly state: FormState;
  readonly path: string;
  readonly address: string;
}) {
  return (
    <form method="post" action={path} class="column">
      <Field
        state={state}
        name="secret"
        label="Secret"
        type="password"
        help="Checked locally; not stored or sent anywhere."
      />
      <Field
        state={state}
        name="address"
        label="From address"
        help="Where the agent calls from. Yours is filled in."
        value={address}
      />
      <button type="submit">Test this token</button>
    </form>
  );
}

/** The result, and the token's rights. */
export function TrialResult({
  trial,
  servers,
  address,
  now,
}: {
  readonly trial: TokenTrial;
  readonly servers: ServerNames;
  readonly address: string;
  readonly now: Instant;
}) {
  const { token, refusal } = trial;
  return (
    <section class={refusal === null ? 'notice good' : 'notice bad'} aria-label="Result of the test">
      <p role="status">
        {refusal === null ? (
          <Status tone="good">{`This token is accepted from ${address}.`}</Status>
        ) : (
          <Status tone="bad">{`This token is rejected from ${address}.`}</Status>
        )}
      </p>
      {refusal === null ? null : (
        <p>
          <LocalTimes text={token === null ? UNKNOWN : (ended(token, now) ?? refusal.message)} />
        </p>
      )}
      {token === null ? null : <Terms token={token} servers={servers} now={now} />}
    </section>
  );
}

const UNKNOWN = 'No token has this secret: it was mistyped, truncated, or replaced by a rotation.';

/** An agent learns less: only that it is refused. */
function ended(token: ApiToken, now: Instant): string | null {
  if (token.revokedAt !== null) return `It was revoked on ${toMinute(token.revokedAt)}.`;
  return isExpired(token, now) && token.expiresAt !== null
    ? `It expired on ${toMinute(token.expiresAt)}.`
    : null;
}

interface TermsProps {
  readonly token: ApiToken;
  readonly servers: ServerNames;
  readonly now: Instant;
}

/** A token's rights, addresses, and expiry. */
export function Terms({ token, servers, now }: TermsProps) {
  const capabilities = token.scopes.filter((scope) => !scope.startsWith('feature:'));
  const features = token.scopes.filter((scope) => scope.startsWith('feature:'));
  const { tools, all } = toolsOf(token.scopes);
  return (
    <dl class="facts">
      <dt>Scopes</dt>
      <dd>
        <ul class="plain">
          {capabilities.map((scope) => (
            <li key={scope}>
              <strong>{SCOPE_TITLES[scope]}</strong>: {SCOPE_HELP[scope]}
            </li>
          ))}
        </ul>
      </dd>
      <dt>Features</dt>
      <dd>{features.length === 0 ? 'all' : features.map((scope) => SCOPE_TITLES[scope]).join(', ')}</dd>
      <dt>Tools for agents</dt>
      <dd>
        {tools.length === 0
          ? 'none: every token needs “read”.'
          : `${tools.length} of ${all}: ${tools.join(', ')}`}
      </dd>
      <dt>Servers</dt>
      <dd>
        {token.allowedServerIds === null
          ? 'all, including servers added later'
          : token.allowedServerIds.map((id) => (
              <>
                <a href={`/servers/${id}`}>{servers.get(id) ?? `Server ${id}`}</a>{' '}
              </>
            ))}
        {token.serversGrantedBy === null ? null : (
          <span class="quiet">granted by {token.serversGrantedBy.label}</span>
        )}
      </dd>
      <dt>Addresses</dt>
      <dd>
        {token.allowedCidrs.length === 0
          ? 'any'
          : `${token.allowedCidrs.join(', ')}; requests from other addresses are rejected.`}
      </dd>
      <dt>Expires</dt>
      <dd>
        <LocalTimes text={expiryText(token, now)} />
      </dd>
      <dt>Approval</dt>
      <dd>
        {APPROVAL_CHOICES.find(({ value }) => value === approvalMode(token))?.label}
        {token.approvalRule === null ? null : `: ${ruleText(token.approvalRule)}`}
      </dd>
    </dl>
  );
}

function expiryText({ expiresAt }: ApiToken, now: Instant): string {
  if (expiresAt === null) return 'never';
  const left = Math.ceil((expiresAt - now) / DAY);
  return `${toMinute(expiresAt)}${left > 0 ? `, in ${count(left, 'day')}` : ''}`;
}
