import { AGENT_CLIENTS, clientSnippets } from '../../../../../application/access/client-snippets.ts';
import type { ApiToken } from '../../../../../domain/access/api-token.ts';
import { scopeWarning } from '../../../../../domain/access/scope.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Status } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { PlaceholderHost } from '../fleet/placeholder-host.tsx';
import { TOKENS_PATH } from './token-request.ts';

/** The service's name in agents' clients. */
const LABEL = 'drover';

interface BannerProps {
  readonly now: Instant;
  readonly token: ApiToken;
  readonly secret: string;
  readonly publicUrl: string | null;
  /** By which the browser reached the service. */
  readonly origin: string;
  readonly httpPort: number;
  readonly adapterPath: string;
  /** The page for trying it. */
  readonly tryPath: string;
}

/** The secret, this once, with the configuration of each client ready to be copied. */
export function SecretBanner({ token, secret, now, tryPath, ...settings }: BannerProps) {
  const snippets = clientSnippets({ ...settings, secret, label: LABEL });
  const ofScopes = scopeWarning(token.scopes);
  return (
    <section class="notice good" aria-label="The new secret" data-token-secret>
      <p>
        <strong>This is the secret. It is shown only once.</strong>
      </p>
      <Copyable id="secret" text={secret} />
      <form method="post" action={tryPath} class="actions">
        <input type="hidden" name="secret" value={secret} />
        <button type="submit" class="quiet">
          Test this token
        </button>
      </form>
      {ofScopes === null ? null : (
        <p class="fault" id="scope-warning">
          {ofScopes} <a href={`/settings/tokens/${token.id}/edit`}>Edit the token</a>
        </p>
      )}
      <h2>Connect an agent</h2>
      <PlaceholderHost {...settings} />
      <div class="client-tabs" role="radiogroup" aria-label="Client">
        {snippets.map(({ client, title, file, text, notes, install }) => (
          <>
            <input
              type="radio"
              name="client"
              id={`client-${client}`}
              value={client}
              checked={client === AGENT_CLIENTS[0]}
            />
            <label for={`client-${client}`}>{title}</label>
            <div>
              <p class="help">{file}</p>
              <Copyable id={`snippet-${client}`} text={text} />
              {install === null ? null : (
                <p>
                  <a class="button quiet" href={install} data-install={client}>
                    Add to {title}
                  </a>
                </p>
              )}
              {notes.map((note) => (
                <p key={note} class="help">
                  {note}
                </p>
              ))}
            </div>
          </>
        ))}
      </div>
      <FirstCall token={token} since={now} now={now} isOverList />
    </section>
  );
}

const SHOW_IN_LIST = {
  'hx-get': `/live${TOKENS_PATH}`,
  'hx-trigger': 'load',
  'hx-target': '#list',
  'hx-swap': 'outerMorph',
};

/** Whether the token was used since a moment; asks again until it was. */
export function FirstCall({
  token,
  since,
  now,
  isOverList = false,
}: {
  readonly token: ApiToken;
  readonly since: Instant;
  readonly now: Instant;
  /** The list below it shows the call, too. */
  readonly isOverList?: boolean;
}) {
  if (token.lastUsedAt !== null && token.lastUsedAt >= since) {
    return (
      <p id="first-call" role="status" {...(isOverList ? SHOW_IN_LIST : {})}>
        <Status tone="good">Connected</Status> First call <Ago at={token.lastUsedAt} now={now} />.
      </p>
    );
  }
  return (
    <p
      id="first-call"
      role="status"
      hx-get={`/live/settings/tokens/${token.id}?since=${since}${isOverList ? '&list=yes' : ''}`}
      hx-trigger="every 3s"
      hx-swap="outerHTML"
      data-live
    >
      <Status tone="busy">Waiting for the first call…</Status>
    </p>
  );
}
