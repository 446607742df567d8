import type { ManageDeliveries } from '../../../../../application/events/manage-deliveries.ts';
import type { ManagePush } from '../../../../../application/events/manage-push.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { EVERYTHING } from '../../../../../domain/events/event-filter.ts';
import type { PushSubscription } from '../../../../../domain/events/push-subscription.ts';
import { DataTable, RowButton } from '../../components/data-table.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { Ago } from '../../components/time.tsx';
import { formRoute, idOf } from '../../form-state.ts';
import { done, page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { PUSH_PATH } from './alerts-paths.ts';
import { MAX_TRY_MS } from './delivery.tsx';
import { FilterFields, filterOf, filterText } from './event-filter.tsx';

export interface PushDeps {
  readonly managePush: Pick<ManagePush, 'publicKey' | 'subscribe' | 'list' | 'remove'>;
  readonly manageDeliveries: Pick<ManageDeliveries, 'pingBrowser'>;
}

/** Push messages to this browser, and to the user's others. The browser's part is in install.js. */
export const pushRoutes = (deps: PushDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: PUSH_PATH,
    needs: 'viewer',
    handle: (visit) => pushPage(deps, visit, NEW_FORM),
  },
  formRoute(
    PUSH_PATH,
    async (visit) => {
      const { form, visitor } = visit;
      const keys = {
        endpoint: form.get('endpoint') ?? '',
        p256dh: form.get('p256dh') ?? '',
        auth: form.get('auth') ?? '',
      };
      await deps.managePush.subscribe(visitor.actor, keys, filterOf(form), visitor.user.id);
      return done(PUSH_PATH, 'this browser');
    },
    (visit, state) => pushPage(deps, visit, state, { status: 422 }),
    { needs: 'viewer' },
  ),
  {
    method: 'POST',
    path: `${PUSH_PATH}/:id/test`,
    needs: 'viewer',
    handle: async (visit) => {
      const signal = AbortSignal.timeout(MAX_TRY_MS);
      const { status, error } = await deps.manageDeliveries.pingBrowser(
        visit.visitor.actor,
        subscriptionId(visit.params['id']),
        signal,
      );
      const outcome = status === 'delivered' ? TAKEN : `Not accepted: ${error ?? 'not attempted yet'}`;
      return pushPage(deps, visit, NEW_FORM, { outcome, good: status === 'delivered' });
    },
  },
  {
    method: 'POST',
    path: `${PUSH_PATH}/:id/remove`,
    needs: 'viewer',
    handle: async ({ visitor, params }) => {
      await deps.managePush.remove(visitor.actor, subscriptionId(params['id']), visitor.user.id);
      return done(PUSH_PATH, `a browser of ${visitor.user.name}`);
    },
  },
];

const TAKEN = "The browser's push service accepted it; it appears within seconds.";

function subscriptionId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id !== null) return id;
  throw new DomainError('subscription_not_found', 'This browser is not subscribed.');
}

async function pushPage(
  { managePush }: PushDeps,
  { visitor, now }: SignedInVisit,
  state: FormState,
  { status = 200, outcome = '', good = true } = {},
): Promise<WebReply> {
  const [key, own] = await Promise.all([managePush.publicKey(), managePush.list(visitor.user.id)]);
  const reply = page(
    'settings',
    'This browser',
    <>
      {outcome === '' ? null : (
        <p class={`notice ${good ? 'good' : 'bad'}`} role="status">
          {outcome}
        </p>
      )}
      <p>
        This browser can show notifications even when Drover is not open. They go through the browser vendor's
        push service, which cannot read them.
      </p>
      <p class="notice" data-push-state role="status">
        This requires JavaScript, which is disabled in this browser.
      </p>
      {own.length === 0 ? null : <OwnBrowsers own={own} now={now} />}
      <h2>Notifications for this browser</h2>
      <form method="post" action={PUSH_PATH} class="column" data-push-form={key}>
        <FormFault state={state} />
        {['endpoint', 'p256dh', 'auth'].map((name) => (
          <input key={name} type="hidden" name={name} />
        ))}
        <FilterFields state={state} filter={{ ...EVERYTHING, minSeverity: 'warning' }} />
        <button type="submit" disabled>
          Enable notifications
        </button>
      </form>
    </>,
    status,
  );
  return { ...reply, script: 'push' };
}

const OwnBrowsers = ({ own, now }: { readonly own: readonly PushSubscription[]; readonly now: Instant }) => (
  <>
    <h2>Your browsers</h2>
    <DataTable
      rows={own}
      keyOf={({ id }) => id}
      rowAttributes={({ endpointHash }) => ({ 'data-push-browser': endpointHash })}
      columns={[
        {
          head: 'Browser',
          cell: ({ id }) => (
            <>
              Browser {id} <strong hidden>this one</strong>
            </>
          ),
        },
        { head: 'Receives', kind: 'text', cell: ({ filter }) => filterText(filter) },
        { head: 'Since', phone: 'label', cell: ({ createdAt }) => <Ago at={createdAt} now={now} /> },
        {
          head: 'Actions',
          kind: 'actions',
          cell: ({ id }) => (
            <div class="row">
              <RowButton action={`${PUSH_PATH}/${id}/test`} label="Send a test" about={`browser ${id}`} />
              <RowButton
                action={`${PUSH_PATH}/${id}/remove`}
                label="Disable notifications"
                about={`browser ${id}`}
                danger
                attributes={{ 'data-push-remove': true }}
              />
            </div>
          ),
        },
      ]}
    />
  </>
);
