import { count, grouped } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { TagCount } from '../../../../../domain/fleet/server-list.ts';
import { stateNeeds } from '../../../../../domain/fleet/server-list.ts';
import { needState } from './need-pill.tsx';
import type { Viewer } from './server-table.tsx';

/** A cell per server, in the colour of its worst need. */
export function FleetGrid({
  servers,
  total,
  tags,
  onlooker,
}: {
  readonly servers: readonly Server[];
  readonly total: number;
  readonly tags: readonly TagCount[];
  readonly onlooker: Viewer;
}) {
  return (
    <section class="card" aria-labelledby="fleet-title">
      <header>
        <h2 id="fleet-title">Fleet</h2>
        <ul class="chips">
          {tags.map(({ tag, servers: number }) => (
            <li key={tag}>
              <a class="chip" href={`/servers?${new URLSearchParams({ tag })}`}>
                {tag} {number}
              </a>
            </li>
          ))}
        </ul>
        <div class="acts">
          <a class="button ghost small" href="/servers">
            {total > servers.length ? `All ${grouped(total)} servers` : 'Table'}
          </a>
        </div>
      </header>
      <ul class="body cells">
        {servers.map((server) => (
          <li key={server.id}>
            <Cell server={server} onlooker={onlooker} />
          </li>
        ))}
      </ul>
      {total > servers.length ? (
        <p class="body quiet">The first {count(servers.length, 'server')} by name.</p>
      ) : null}
    </section>
  );
}

function Cell({ server, onlooker }: { readonly server: Server; readonly onlooker: Viewer }) {
  const { staleBefore } = onlooker;
  const [need] = stateNeeds(server, staleBefore);
  const [tone, words] = needState({ need, server, staleBefore });
  return (
    <a class={`cell ${tone}`} href={`/servers/${server.id}`} title={words}>
      {server.name}
    </a>
  );
}
