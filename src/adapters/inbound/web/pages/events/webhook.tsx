import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { HOUR } from '../../../../../domain/base/instant.ts';
import { DELIVERY_STATUSES } from '../../../../../domain/events/delivery.ts';
import { formerSigns, type Webhook } from '../../../../../domain/events/webhook.ts';
import { Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { By } from '../../components/origin.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { Ago, At } from '../../components/time.tsx';
import { blaming, formRoute, requireName, submit } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ALERTS_PATH } from './alerts-paths.ts';
import { WebhookState, webhookPath } from './channel-rows.tsx';
import { DELIVERIES, MAX_TRY_MS } from './delivery.tsx';
import { DELIVERY_ROWS, DeliveryRows, DeliveryTabs } from './delivery-rows.tsx';
import { FilterFields, filterOf, filterText } from './event-filter.tsx';
import { secretPage, URL_CHECK, type WebhookDeps } from './webhooks.tsx';

const PATTERN = `${ALERTS_PATH}/webhooks/:name`;
/** For how long the previous secret keeps signing. */
const OVERLAP_HOURS: readonly number[] = [0, 1, 24, 168, 720];

/** One webhook: its events, deliveries, and settings. */
export const oneWebhookRoutes = (deps: WebhookDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PATTERN,
    needs: 'administrator',
    handle: (visit) => webhookPage(deps, visit, NEW_FORM),
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
      const url = (form.get('url') ?? '').trim();
      const edit = {
        name: form.get('name') ?? '',
        ...(url === '' ? {} : { url }),
        ...filterOf(form),
      };
      const changed = await blaming({ name_taken: '/name' }, () =>
        deps.manageWebhooks.edit(visitor.actor, params['name'] ?? '', edit),
      );
      return done(webhookPath(changed), changed.name);
    },
    (visit, state) => editPage(deps, visit, state, 422),
    { confirm: true },
  ),
  formRoute(
    `${PATTERN}/rotate`,
    async (visit) => {
      const hours = Number(visit.form.get('overlap') ?? '24');
      if (!OVERLAP_HOURS.includes(hours))
        throw new InvalidInput([{ path: '/overlap', message: 'Choose one of these times.' }]);
      const { actor } = visit.visitor;
      return secretPage(await deps.manageWebhooks.rotate(actor, visit.params['name'] ?? '', hours * HOUR));
    },
    (visit, state) => webhookPage(deps, visit, state, 422),
    { confirm: true },
  ),
  action(deps, 'ping', async ({ visitor, params }) => {
    const signal = AbortSignal.timeout(MAX_TRY_MS);
    const { id } = await deps.manageDeliveries.ping(visitor.actor, params['name'] ?? '', signal);
    return `${DELIVERIES}/${id}`;
  }),
  action(deps, 'enable', async ({ visitor, params }) =>
    webhookPath(await deps.manageWebhooks.setEnabled(visitor.actor, params['name'] ?? '', true)),
  ),
  action(deps, 'disable', async ({ visitor, params }) =>
    webhookPath(await deps.manageWebhooks.setEnabled(visitor.actor, params['name'] ?? '', false)),
  ),
  formRoute(
    `${PATTERN}/remove`,
    async (visit) => {
      const { name } = await deps.manageWebhooks.find(visit.visitor.actor, visit.params['name'] ?? '');
      requireName(visit.form, name, 'remove it');
      await deps.manageWebhooks.remove(visit.visitor.actor, name);
      return done(ALERTS_PATH, name);
    },
    (visit, state) => webhookPage(deps, visit, state, 422),
    { confirm: true },
  ),
];

/** A button on the webhook's page; errors are shown there. */
function action(deps: WebhookDeps, name: string, work: (visit: SignedInVisit) => Promise<string>): WebRoute {
  return {
    method: 'POST',
    path: `${PATTERN}/${name}`,
    needs: 'administrator',
    handle: (visit) =>
      submit(
        visit.form,
        async () => done(await work(visit), visit.params['name'] ?? ''),
        // A button has no field for errors.
        ({ problems, fault }) => {
          const sentence = fault ?? problems.map(({ message }) => message).join(' ');
          return webhookPage(deps, visit, { ...NEW_FORM, fault: sentence }, 422);
        },
      ),
  };
}

async function webhookPage(
  deps: WebhookDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const { visitor, query, now } = visit;
  const webhook = await deps.manageWebhooks.find(visit.visitor.actor, visit.params['name'] ?? '');
  const wanted = DELIVERY_STATUSES.find((each) => each === query.get('status'));
  const [all, found] = await Promise.all([
    deps.manageWebhooks.list(visitor.actor),
    deps.manageDeliveries.list(visitor.actor, {
      webhook: webhook.name,
      status: wanted,
      limit: DELIVERY_ROWS,
      offset: offsetOf(query),
    }),
  ]);
  const path = webhookPath(webhook);
  const reply = page(
    'settings',
    `Webhook ${webhook.name}`,
    <>
      <FormFault state={state} />
      <dl class="facts">
        <dt>Sends to</dt>
        <dd class="mono">{webhook.shownUrl}</dd>
        <dt>Events</dt>
        <dd>{filterText(webhook.filter)}</dd>
        <dt>Created</dt>
        <dd>
          <Ago at={webhook.createdAt} now={now} /> by <By label={webhook.createdBy} />
        </dd>
        {formerSigns(webhook, now) && webhook.formerUntil !== null ? (
          <>
            <dt>Secret</dt>
            <dd>
              The previous secret is valid until <At at={webhook.formerUntil} now={now} />.
            </dd>
          </>
        ) : null}
      </dl>
      <h2>Deliveries</h2>
      <DeliveryTabs path={path} wanted={wanted} />
      <DeliveryRows deliveries={found.items} now={now} path={DELIVERIES} paging={{ found, path, query }} />
      {webhook.origin === 'environment' ? (
        <p class="help">Set by the environment variable WEBHOOK_URL; change it there.</p>
      ) : (
        <Changes webhook={webhook} path={path} state={state} />
      )}
    </>,
    status,
  );
  return {
    ...reply,
    live: { all: true },
    header: {
      status: <WebhookState webhook={webhook} all={all} />,
      actions: (
        <>
          {webhook.origin === 'environment' ? null : <Own webhook={webhook} path={path} />}
          <Press path={`${path}/ping`} label="Send a test" main />
        </>
      ),
    },
  };
}

const Own = ({ webhook, path }: { readonly webhook: Webhook; readonly path: string }) => (
  <>
    <a class="button quiet" href={`${path}/edit`}>
      Edit
    </a>
    {webhook.enabled ? (
      <Press path={`${path}/disable`} label="Disable" />
    ) : (
      <Press path={`${path}/enable`} label="Enable" />
    )}
  </>
);

const Press = ({
  path,
  label,
  main = false,
}: {
  readonly path: string;
  readonly label: string;
  readonly main?: boolean;
}) => (
  <form method="post" action={path}>
    <button type="submit" class={main ? undefined : 'quiet'}>
      {label}
    </button>
  </form>
);

function Changes({
  webhook,
  path,
  state,
}: {
  readonly webhook: Webhook;
  readonly path: string;
  readonly state: FormState;
}) {
  return (
    <>
      <h2>New secret</h2>
      <form method="post" action={`${path}/rotate`} class="actions">
        <label for="overlap">Keep the current secret valid for</label>
        <select id="overlap" name="overlap">
          {OVERLAP_HOURS.map((hours) => (
            <option key={hours} value={hours} selected={hours === 24}>
              {hours === 0 ? 'not at all' : hours < 24 ? `${hours} h` : `${hours / 24} d`}
            </option>
          ))}
        </select>
        <button type="submit" class="quiet">
          Create new secret
        </button>
      </form>
      <h2>Remove</h2>
      <form method="post" action={`${path}/remove`} class="column">
        <Field
          state={state}
          name="confirm"
          label={`Type ${webhook.name} to remove it with its log`}
          help="This cannot be undone."
        />
        <button type="submit" class="danger" data-needs-name={webhook.name}>
          Remove webhook
        </button>
      </form>
    </>
  );
}

async function editPage(
  { manageWebhooks }: WebhookDeps,
  visit: SignedInVisit,
  state: FormState,
  status = 200,
): Promise<WebReply> {
  const webhook = await manageWebhooks.find(visit.visitor.actor, visit.params['name'] ?? '');
  const path = webhookPath(webhook);
  return page(
    'settings',
    `Edit webhook ${webhook.name}`,
    <form method="post" action={`${path}/edit`} class="column">
      <FormFault state={state} />
      <Field state={state} name="name" label="Name" value={webhook.name} focus />
      <Field
        state={state}
        name="url"
        label="New address"
        help={`Empty: no change (${webhook.shownUrl}).`}
        required={false}
        check={URL_CHECK}
      />
      <FilterFields state={state} filter={webhook.filter} />
      <p class="actions">
        <button type="submit">Save</button>
        <a href={path}>Cancel</a>
      </p>
    </form>,
    status,
  );
}
