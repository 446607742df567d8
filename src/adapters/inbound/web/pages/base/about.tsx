import type { DescribeService } from '../../../../../application/service/describe-service.ts';
import { isInAnyCidr } from '../../../../../domain/access/client-address.ts';
import { count, duration } from '../../../../../domain/base/spans.ts';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Ago } from '../../components/time.tsx';
import { page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';

/** A package that this service is built on. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

export interface AboutDeps {
  readonly describeService: Pick<DescribeService, 'execute'>;
  readonly settings: {
    /** Null: it is deleted when the service ends. */
    readonly dataDir: string | null;
    readonly trustedProxies: readonly string[];
    readonly licence: string;
    readonly licences: () => readonly Licence[];
  };
}

const PATH = '/settings/about';

/** About the service, and how it sees clients. */
export const aboutRoutes = (deps: AboutDeps): readonly WebRoute[] => [
  { method: 'GET', path: PATH, needs: 'viewer', handle: (visit) => aboutPage(deps, visit) },
];

async function aboutPage(deps: AboutDeps, visit: SignedInVisit): Promise<WebReply> {
  const { actor } = visit.visitor;
  const { settings } = deps;
  const isAdministrator = actor.role === 'administrator';
  return page(
    'settings',
    'About',
    <div class="stack">
      {isAdministrator ? await inside(deps, visit) : null}
      <div class="spread">
        <Card title="Your connection">
          <dl class="facts roomy">
            <dt>Your address</dt>
            <dd class="mono">{visit.browser.address}</dd>
            {isAdministrator ? (
              <Proxies proxies={settings.trustedProxies} own={visit.browser.address} />
            ) : null}
          </dl>
        </Card>
        <Card title="Licences">
          <p>
            Drover is free software under the {settings.licence} licence. Thanks to the authors of the
            packages below, which it uses.
          </p>
          <details>
            <summary>{count(settings.licences().length, 'package')}</summary>
            <ul>
              {settings.licences().map(({ name, version, licence }) => (
                <li key={name}>
                  {name} {version}: {licence}
                </li>
              ))}
            </ul>
          </details>
        </Card>
      </div>
    </div>,
  );
}

async function inside({ describeService, settings }: AboutDeps, { visitor, now }: SignedInVisit) {
  const { version, database, keyId, replicas, startedAt } = await describeService.execute(visitor.actor);
  return (
    <>
      <Card title="Service" note={`version ${version}`}>
        <dl class="facts roomy">
          <dt>Version</dt>
          <dd>{version}</dd>
          <dt>Database</dt>
          <dd>{database}</dd>
          <dt>Data directory</dt>
          {settings.dataDir === null ? (
            <dd>temporary: nothing is saved</dd>
          ) : (
            <dd class="mono">{settings.dataDir}</dd>
          )}
          <dt>Master key ID</dt>
          <dd class="mono">{keyId}</dd>
          <dt>Uptime</dt>
          <dd>{startedAt === null ? 'less than a minute' : duration(now - startedAt)}</dd>
        </dl>
      </Card>
      <Card title="Running replicas" note={replicas.length} flush>
        <DataTable
          empty="This process has not reported yet. It does so once a minute."
          rows={replicas}
          keyOf={({ owner }) => owner}
          columns={[
            { head: 'Process', kind: 'code', cell: ({ owner }) => owner },
            { head: 'Version', kind: 'state', cell: (each) => each.version },
            { head: 'Started', phone: 'label', cell: (each) => <Ago at={each.startedAt} now={now} /> },
            { head: 'Last seen', phone: 'label', cell: ({ seenAgoMs }) => `${duration(seenAgoMs)} ago` },
          ]}
        />
      </Card>
    </>
  );
}

function Proxies({ proxies, own }: { readonly proxies: readonly string[]; readonly own: string }) {
  return (
    <>
      <dt>Trusted proxies</dt>
      <dd>
        {proxies.length === 0
          ? 'None: the connecting IP address is used as the client address. Behind a reverse proxy, set SERVICE_TRUSTED_PROXIES.'
          : proxies.join(', ')}
        {isInAnyCidr(own, proxies) ? (
          <p class="fault">
            Your address is that of a trusted proxy that sends no X-Forwarded-For header: the address limits
            of tokens apply to the proxy instead of the client.
          </p>
        ) : null}
      </dd>
    </>
  );
}
