import { AGENT_CLIENTS, clientSnippets } from '../../../../../application/access/client-snippets.ts';
import { Copyable } from '../../components/copyable.tsx';

/** What agents' clients are to call the service. */
const LABEL = 'drover';

interface BannerProps {
  readonly secret: string;
  readonly publicUrl: string | null;
  readonly httpPort: number;
  readonly adapterPath: string;
  /** Where it can be tried at once. */
  readonly tryPath: string;
}

/** The secret, this once, with the configuration of each client ready to be copied. */
export function SecretBanner({ secret, tryPath, ...settings }: BannerProps) {
  const snippets = clientSnippets({ ...settings, secret, label: LABEL });
  const warning = snippets[0]?.warning ?? null;
  return (
    <section class="notice good" aria-label="The new secret" data-token-secret>
      <p>
        <strong>This is the secret. It is shown this once.</strong>
      </p>
      <Copyable id="secret" text={secret} />
      <form method="post" action={tryPath} class="actions">
        <input type="hidden" name="secret" value={secret} />
        <button type="submit" class="quiet">
          Test this token
        </button>
      </form>
      {warning === null ? null : <p class="fault">{warning}</p>}
      <h2>Connect an agent</h2>
      {snippets.map(({ client, title, file, block, notes }) => (
        <details key={client} open={client === AGENT_CLIENTS[0]}>
          <summary>{title}</summary>
          <p class="help">{file}</p>
          <Copyable id={`snippet-${client}`} text={block} />
          {notes.map((note) => (
            <p key={note} class="help">
              {note}
            </p>
          ))}
        </details>
      ))}
    </section>
  );
}
