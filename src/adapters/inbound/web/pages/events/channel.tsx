import { CHANNEL_KINDS, sendsEvents } from '../../../../../domain/events/channels/channel-kinds.ts';
import { reportText, timingText } from '../../../../../domain/events/channels/channel-timing.ts';
import { DELIVERY_STATUSES, type Delivery } from '../../../../../domain/events/delivery.ts';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { By } from '../../components/origin.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { Ago, LocalTimes } from '../../components/time.tsx';
import { blaming, formRoute, requireName } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ALERTS_PATH } from './alerts-paths.ts';
import { ChannelFields, shownFields, valuesOf } from './channel-form.tsx';
import { ChannelState, channelEvents, channelPath } from './channel-rows.tsx';
import { timingOf } from './channel-timing-fields.tsx';
import type { ChannelDeps } from './channels.tsx';
import { DELIVERIES, MAX_TRY_MS } from './delivery.tsx';
import { DELIVERY_ROWS, DeliveryRows, DeliveryTabs } from './delivery-rows.tsx';
import { filterOf } from './event-filter.tsx';

const PATTERN = `${ALERTS_PATH}/channels/:name`;

/** One channel: its settings, deliveries, and a test. */
export const oneChannelRoutes = (deps: ChannelDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATTERN,
    needs: 'administrator',
    handle: (visit) => channelPage(deps, visit, NEW_FORM),
  },
  {
    method: 'GET',
    path: `${PATTERN}/edit`,
    needs: 'administrator',
    confirm: true,
    handle: (visit) => editPage(deps, visit, NEW_FORM),
  },
  formRoute(
    `${PATTERN}/edit`,
    async (visit) => {
      const { form, visitor, params } = visit;
      const before = await deps.manageChannels.find(visitor.actor, params['name'] ?? '');
      const changed = await blaming({ name_taken: '/name' }, () =>
        deps.manageChannels.edit(visitor.actor, before.name, {
          name: form.get('name') ?? '',
          values: valuesOf(form, CHANNEL_KINDS[before.kind]),
          allowPrivate: form.get('allow_private') === 'on',
          ...(sendsEvents(CHANNEL_KINDS[before.kind]) ? { ...filterOf(form), ...timingOf(form) } : {}),
        }),
      );
      return done(channelPath(changed), changed.name);
    },
    (visit, state) => editPage(deps, visit, state, 422),
    { confirm: true },
  ),
  {
    method: 'GET',
    path: `${PATTERN}/report`,
    needs: 'administrator',
    handle: async ({ visitor, params }) => {
      const channel = await deps.manageChannels.find(visitor.actor, params['name'] ?? '');
      const { title, message } = await deps.weeklyReports.preview(visitor.actor, channel.name);
      return page(
        'settings',
        'Weekly report',
        <>
          <p>
            The report that <a href={channelPath(channel)}>{channel.name}</a> would send now. Schedule:{' '}
            {reportText(channel.timing)}.
          </p>
          <h2>{title}</h2>
          <pre tabIndex={0}>{message}</pre>
        </>,
      );
    },
  },
  {
    method: 'POST',
    path: `${PATTERN}/test`,
    needs: 'administrator',
    handle: async (visit) => {
      const signal = AbortSignal.timeout(MAX_TRY_MS);
      const { actor } = visit.visitor;
      const test = await deps.manageDeliveries.pingChannel(actor, visit.params['name'] ?? '', signal);
      return channelPage(deps, visit, NEW_FORM, { test });
    },
  },
  switchRoute(deps, 'enable', true),
  switchRoute(deps, 'disable', false),
  formRoute(
    `${PATTERN}/remove`,
    async (visit) => {
      const { actor } = visit.visitor;
      const { name } = await deps.manageChannels.find(actor, visit.params['name'] ?? '');
      requireName(visit.form, name, 'remove it');
      await deps.manageChannels.remove(actor, name);
      return done(ALERTS_PATH, name);
    },
    (visit, state) => channelPage(deps, visit, state, { status: 422 }),
    { confirm: true },
  ),
];

const switchRoute = (deps: ChannelDeps, name: string, enabled: boolean): WebRoute => ({
  method: 'POST',
  path: `${PATTERN}/${name}`,
  needs: 'administrator',
  handle: async ({ visitor, params }) => {
    const channel = await deps.manageChannels.setEnabled(visitor.actor, params['name'] ?? '', enabled);
    return done(channelPath(channel), channel.name);
  },
});

interface Shown {
  readonly status?: number;
  /** A test that was just sent. */
  readonly test?: Delivery;
}

async function channelPage(
  deps: ChannelDeps,
  { visitor, query, now, params }: SignedInVisit,
  state: FormState,
  { status = 200, test }: Shown = {},
): Promise<WebReply> {
  const channel = await deps.manageChannels.find(visitor.actor, params['name'] ?? '');
  const kind = CHANNEL_KINDS[channel.kind];
  const wanted = DELIVERY_STATUSES.find((each) => each === query.get('status'));
  const found = await deps.manageDeliveries.list(visitor.actor, {
    channel: channel.name,
    status: wanted,
    limit: DELIVERY_ROWS,
    offset: offsetOf(query),
  });
  const path = channelPath(channel);
  const reply = page(
    'settings',
    `Channel ${channel.name}`,
    <>
      {test === undefined ? null : <TestResult test={test} title={kind.title} />}
      <FormFault state={state} />
      <dl class="facts">
        <dt>Sends to</dt>
        <dd class="mono">{channel.shownTarget}</dd>
        {shownFields(kind, channel.fields).map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd class="mono">{value}</dd>
          </>
        ))}
        <dt>Events</dt>
        <dd>{channelEvents(channel)}</dd>
        {sendsEvents(kind) ? (
          <>
            <dt>Messages</dt>
            <dd>{timingText(channel.timing)}</dd>
            <dt>Weekly report</dt>
            <dd>
              {reportText(channel.timing)} <a href={`${path}/report`}>Preview</a>
            </dd>
          </>
        ) : null}
        <dt>Private addresses</dt>
        <dd>{channel.allowPrivate ? 'allowed' : 'not allowed'}</dd>
        <dt>Created</dt>
        <dd>
          <Ago at={channel.createdAt} now={now} /> by <By label={channel.createdBy} />
        </dd>
      </dl>
      <h2>Deliveries</h2>
      <DeliveryTabs path={path} wanted={wanted} />
      <DeliveryRows deliveries={found.items} now={now} path={DELIVERIES} paging={{ found, path, query }} />
      <h2>Remove</h2>
      <form method="post" action={`${path}/remove`} class="column">
        <Field
          state={state}
          name="confirm"
          label={`Type ${channel.name} to remove it with its log`}
          help="This cannot be undone."
        />
        <button type="submit" class="danger" data-needs-name={channel.name}>
          Remove channel
        </button>
      </form>
    </>,
    status,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      status: <ChannelState channel={channel} />,
      sub: kind.title,
      actions: <Actions path={path} enabled={channel.enabled} />,
    },
  };
}

const Actions = ({ path, enabled }: { readonly path: string; readonly enabled: boolean }) => (
  <>
    <a class="button quiet" href={`${path}/edit`}>
      Edit
    </a>
    <form method="post" action={`${path}/${enabled ? 'disable' : 'enable'}`}>
      <button type="submit" class="quiet">
        {enabled ? 'Disable' : 'Enable'}
      </button>
    </form>
    <form method="post" action={`${path}/test`}>
      <button type="submit" disabled={!enabled}>
        Send a test
      </button>
    </form>
  </>
);

const TestResult = ({ test, title }: { readonly test: Delivery; readonly title: string }) =>
  test.status === 'delivered' ? (
    <p class="notice good" role="status">
      {title} accepted the test. Check that it arrived.
    </p>
  ) : (
    <p class="notice bad" role="alert">
      <LocalTimes text={`The test was not delivered. ${test.error ?? 'It has not been sent yet.'}`} />
    </p>
  );

async function editPage(
  { manageChannels }: ChannelDeps,
  { visitor, params }: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const channel = await manageChannels.find(visitor.actor, params['name'] ?? '');
  const path = channelPath(channel);
  return page(
    'settings',
    `Edit channel ${channel.name}`,
    <form method="post" action={`${path}/edit`} class="column">
      <FormFault state={state} />
      <ChannelFields
        state={state}
        kind={CHANNEL_KINDS[channel.kind]}
        name={channel.name}
        fields={channel.fields}
        filter={channel.filter}
        timing={channel.timing}
        allowPrivate={channel.allowPrivate}
        exists
      />
      <p class="actions">
        <button type="submit">Save</button>
        <a href={path}>Cancel</a>
      </p>
    </form>,
    status,
  );
}
