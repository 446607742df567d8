import { count, grouped } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { TagCount } from '../../../../../domain/fleet/server-list.ts';
import { type StateNeed, stateNeeds } from '../../../../../domain/fleet/server-list.ts';
import type { Tone } from '../../components/status.tsx';
import type { Viewer } from './server-table.tsx';

const WORST: Readonly<Record<StateNeed, readonly [Tone, string]>> = {
  unreachable: ['bad', 'unreachable'],
  critical_alert: ['bad', 'critical alert'],
  stale_backup: ['bad', 'backup overdue'],
  disk_full: ['care', 'disk nearly full'],
  security_updates: ['care', 'security updates'],
  alert: ['care', 'open alert'],
  reboot: ['care', 'needs a reboot'],
  updates_unknown: ['off', 'updates unknown'],
  unchecked: ['off', 'needs setup'],
  no_backup: ['off', 'not backed up yet'],
};

const WELL = ['good', 'well'] as const;

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
  const [need] = stateNeeds(server, onlooker.staleBefore);
  const [tone, words] = need === undefined ? WELL : WORST[need];
  return (
    <a class={`cell ${tone}`} href={`/servers/${server.id}`} title={words}>
      {server.name}
    </a>
  );
}
