import type { ManageDeliveries } from '../../../../../application/events/manage-deliveries.ts';
import type { ManageWebhooks, WithSecret } from '../../../../../application/events/manage-webhooks.ts';
import { isDomainError } from '../../../../../domain/base/errors.ts';
import { EVERYTHING } from '../../../../../domain/events/event-filter.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Checked, Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { submit } from '../../form-state.ts';
import { page, part, type WebReply, type WebRoute } from '../../route.ts';
import { ALERTS_PATH, NEW_WEBHOOK_PATH } from './alerts-paths.ts';
import { webhookPath } from './channel-rows.tsx';
import { FilterFields, filterOf } from './event-filter.tsx';

export interface WebhookDeps {
  readonly manageWebhooks: Pick<
    ManageWebhooks,
    'list' | 'find' | 'add' | 'edit' | 'rotate' | 'setEnabled' | 'remove' | 'shownUrl'
  >;
  readonly manageDeliveries: Pick<ManageDeliveries, 'list' | 'get' | 'ping' | 'resend'>;
}

export const URL_CHECK = `${ALERTS_PATH}/check-url`;
/** Adding a webhook. */
export const webhookRoutes = (deps: WebhookDeps): readonly WebRoute[] => [
  {
    method: 'GET',
    path: NEW_WEBHOOK_PATH,
    needs: 'administrator',
    confirm: true,
    handle: () => newPage(NEW_FORM),
  },
  {
    method: 'POST',
    path: NEW_WEBHOOK_PATH,
    needs: 'administrator',
    confirm: true,
    handle: ({ form, visitor }) =>
      submit(
        form,
        async () => {
          const own = form.get('secret') ?? '';
          const request = {
            name: form.get('name') ?? '',
            url: (form.get('url') ?? '').trim(),
            ...(own === '' ? {} : { secret: own }),
            ...filterOf(form),
          };
          return secretPage(await deps.manageWebhooks.add(visitor.actor, request));
        },
        (state) => newPage(state, 422),
      ),
  },
  { method: 'POST', path: URL_CHECK, needs: 'administrator', handle: ({ form }) => checkUrl(deps, form) },
];

const newPage = (state: FormState, status = 200): WebReply =>
  page(
    'settings',
    'New webhook',
    <form method="post" action={NEW_WEBHOOK_PATH} class="column">
      <FormFault state={state} />
      <Field state={state} name="name" label="Name" help="Letters, digits and . _ -" focus />
      <Field
        state={state}
        name="url"
        label="Address"
        help="Drover sends events to this URL by POST. It may contain a secret, so only part of it is shown here."
        check={URL_CHECK}
      />
      <Field
        state={state}
        name="secret"
        label="Secret"
        type="password"
        help="The receiver verifies signatures with it. Starts with whsec_. Empty: Drover creates one and shows it once."
        required={false}
      />
      <FilterFields state={state} filter={EVERYTHING} />
      <p class="actions">
        <button type="submit">Add webhook</button>
        <a href={ALERTS_PATH}>Cancel</a>
      </p>
    </form>,
    status,
  );

/** Says while an address is being typed whether anything may be sent there. */
function checkUrl({ manageWebhooks }: WebhookDeps, form: URLSearchParams): WebReply {
  const raw = (form.get('url') ?? '').trim();
  if (raw === '') return part(<></>);
  try {
    const { host } = new URL(manageWebhooks.shownUrl(raw));
    return part(<Checked good>{`Sends to ${host}. The name is resolved for each delivery.`}</Checked>);
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return part(<Checked good={false}>{error.problems.map(({ message }) => message).join(' ')}</Checked>);
  }
}

/** Shown in the response itself: its secret is in no address. */
export const secretPage = ({ webhook, secret }: WithSecret): WebReply =>
  page(
    'settings',
    `Secret of ${webhook.name}`,
    <>
      <section class="notice good" aria-label="The secret">
        <p>
          <strong>Copy this secret to the receiver. It is shown only once.</strong>
        </p>
        <Copyable id="secret" text={secret} />
        <p class="help">
          Deliveries are signed with it according to Standard Webhooks 1.0. The receiver can verify them with
          any library for that.
        </p>
      </section>
      <form method="post" action={`${webhookPath(webhook)}/ping`} class="actions">
        <button type="submit">Send a test</button>
        <a href={webhookPath(webhook)}>Continue to {webhook.name}</a>
      </form>
    </>,
  );
