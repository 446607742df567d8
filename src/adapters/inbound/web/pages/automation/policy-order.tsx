import type { PolicyRules } from '../../../../../domain/automation/patch-policy.ts';
import { readGroup, readRing, writeGroup, writeRing } from '../../../../../domain/automation/policy-text.ts';
import { hasOrder, type OrderRules } from '../../../../../domain/automation/update-order.ts';
import { Field, type FormState } from '../../components/form.tsx';
import { linesOf, listOf } from '../../form-state.ts';

/** The order in which a policy updates its servers. */
export const OrderFields = ({
  state,
  policy,
}: {
  readonly state: FormState;
  readonly policy: OrderRules | null;
}) => (
  <details class="more" open={state.problems.length > 0 || (policy !== null && hasOrder(policy))}>
    <summary>Order of updates by schedules</summary>
    <Field
      state={state}
      name="rings"
      label="Rings"
      type="lines"
      help="One line each: TAG = HOURS. Servers with the first tag are updated first. The next ring starts after that many hours without a problem; servers without any of the tags are the last ring."
      required={false}
    />
    <Field
      state={state}
      name="order"
      label="Order within a ring"
      help="Tags, such as db, app: servers with the second tag are updated once all with the first are."
      required={false}
    />
    <Field
      state={state}
      name="groups"
      label="Limits"
      type="lines"
      help="One line each: TAG = COUNT. At most this many servers with the tag are updated at once."
      required={false}
    />
  </details>
);

export const readOrder = (form: URLSearchParams): OrderRules => ({
  rings: linesOf(form, 'rings').map(readRing),
  order: listOf(form, 'order'),
  groups: linesOf(form, 'groups').map(readGroup),
});

/** As `readOrder` reads them. */
export const orderFieldsOf = ({ rings, order, groups }: Pick<PolicyRules, keyof OrderRules>) => ({
  rings: rings.map(writeRing).join('\n'),
  order: order.join(', '),
  groups: groups.map(writeGroup).join('\n'),
});
