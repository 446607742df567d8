import {
  MAX_LOG_LINES,
  type ReadContainerLog,
} from '../../../../../application/compose/read-container-log.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { Empty } from '../../components/empty.tsx';
import type { SignedInVisit } from '../../route.ts';

export interface ContainerDeps {
  readonly readContainerLog: Pick<ReadContainerLog, 'execute'>;
}

/** The end of a container's log, read from the host now. */
export async function containerLog(
  { readContainerLog }: ContainerDeps,
  server: Server,
  { visitor, params, gone }: SignedInVisit,
) {
  const name = params['container'] ?? '';
  const lines = await readContainerLog.execute(visitor.actor, server.id, name, gone);
  return (
    <>
      <div class="toolbar">
        <h2>Log of {name}</h2>
        <a
          class="button quiet small"
          href={`/servers/${server.id}/containers/${encodeURIComponent(name)}/log`}
        >
          Refresh
        </a>
        <a href={`/servers/${server.id}/containers`}>All containers</a>
      </div>
      {lines.length === 0 ? (
        <Empty icon="scroll-text">This container has no log output.</Empty>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre class="log" tabIndex={0} aria-label={`Log of ${name}`}>
            {lines.join('\n')}
          </pre>
          {lines.length < MAX_LOG_LINES ? null : (
            <p class="quiet">The last {MAX_LOG_LINES} lines are shown.</p>
          )}
        </>
      )}
    </>
  );
}
