import { type PatchPolicy, POLICY_JOB_TYPES } from '../../../../../domain/automation/patch-policy.ts';
import { rulesText } from '../../../../../domain/automation/policy-text.ts';
import { capital, count } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Empty } from '../../components/empty.tsx';
import { Choices, Field, type FormState } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { Day } from '../../components/time.tsx';
import { OrderFields } from './policy-order.tsx';
import { type SelectorChoices, SelectorFields } from './selector-fields.tsx';

/** Each policy with its servers, its rules and what it excludes. */
export const PolicyCards = ({
  policies,
  followers,
  names,
  mayAct,
}: {
  readonly policies: readonly PatchPolicy[];
  /** How many servers follow each, by its id. */
  readonly followers: ReadonlyMap<number, number>;
  readonly names: ReadonlyMap<number, string>;
  readonly mayAct: boolean;
}) =>
  policies.length === 0 ? (
    <Empty
      icon="package"
      title="No patch policies"
      action={
        mayAct ? (
          <a class="button quiet" href="/policies/new">
            Create a policy
          </a>
        ) : null
      }
    >
      Jobs install all updates at once. A policy can wait until an update has some days, install security
      fixes only, or exclude packages and images.
    </Empty>
  ) : (
    <ul class="panels">
      {policies.map((policy) => (
        <li key={policy.id} class="card">
          <h2>
            <Icon name="package" />
            {mayAct ? <a href={`/policies/${policy.id}/edit`}>{policy.name}</a> : policy.name}
          </h2>
          <p>{capital(selectorText(policy.selector, names))}</p>
          <ul class="ticks">
            {rulesText(policy)
              .split('; ')
              .map((rule) => (
                <li key={rule}>
                  <Icon name="check" /> {capital(rule)}
                </li>
              ))}
            {policy.exclusions.map(({ kind, pattern, reason, until }) => (
              <li key={`${kind} ${pattern}`} title={reason}>
                <Icon name="ban" />
                <span>
                  Not {pattern}
                  {until === null ? null : (
                    <>
                      {' until '}
                      <Day at={until} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
          <p class="foot">
            <span>{`Followed by ${count(followers.get(policy.id) ?? 0, 'server')}`}</span>
            {mayAct ? (
              <a
                class="button quiet small"
                href={`/policies/${policy.id}/edit`}
                aria-label={`Edit: ${policy.name}`}
              >
                Edit
              </a>
            ) : null}
          </p>
        </li>
      ))}
    </ul>
  );

/** Proposed in the form. */
export const USUAL_RESTARTS = { checks: 3, perDay: 5 } as const;

const EXCLUSION_HELP =
  'One line each: PATTERN = REASON, or PATTERN = REASON = YYYY-MM-DD if it expires (UTC). * stands for any text.';

/** What is rarely set is folded, unless it is set or wrong. */
const isOpen = ({ problems }: FormState, policy: PatchPolicy | null): boolean =>
  problems.length > 0 || (policy?.exclusions.length ?? 0) > 0;

export const PolicyForm = ({
  state,
  policy,
  choices,
}: {
  readonly state: FormState;
  readonly policy: PatchPolicy | null;
  readonly choices: SelectorChoices;
}) => (
  <>
    <form
      method="post"
      action={policy === null ? '/policies/new' : `/policies/${policy.id}/edit`}
      class="column"
    >
      <Field
        state={state}
        name="name"
        label="Name"
        help="Letters, digits and . _ -, such as careful."
        focus={policy === null}
      />
      <SelectorFields state={state} choices={choices} usual="tags" />
      <Choices
        state={state}
        name="scheduled_types"
        legend="Schedules may start"
        type="checkbox"
        choices={POLICY_JOB_TYPES.map((value) => ({ value, label: jobTitle(value) }))}
        chosen={POLICY_JOB_TYPES}
      />
      <div class="two">
        <Field
          state={state}
          name="min_age_hours"
          label="Minimum age for schedules (hours)"
          help="How old a package's version or an image has to be before a schedule installs it."
          value="72"
          inputmode="numeric"
        />
        <Field
          state={state}
          name="min_age_by_hand_hours"
          label="Minimum age for other jobs (hours)"
          value="0"
          inputmode="numeric"
        />
      </div>
      <Choices
        state={state}
        name="rules"
        legend="Rules"
        type="checkbox"
        choices={[
          {
            value: 'security_only',
            label: 'Install security fixes only',
            help: 'For packages. apk, pacman and zypper do not mark security fixes, so nothing is installed there.',
          },
          { value: 'security_at_once', label: 'Install security fixes at any age' },
          { value: 'reboot_if_needed', label: 'Reboot after a package update that needs it' },
          {
            value: 'restart_unhealthy',
            label: 'Restart unhealthy services of Compose projects',
            help: 'Drover checks the health of containers once a minute. An alert opens when the limit is reached.',
          },
        ]}
        chosen={['security_at_once']}
      />
      <details class="more" open={isOpen(state, policy)}>
        <summary>Restarts and exclusions</summary>
        <div class="two">
          <Field
            state={state}
            name="restart_checks"
            label="Unhealthy checks before a restart"
            value={String(USUAL_RESTARTS.checks)}
            inputmode="numeric"
            required={false}
          />
          <Field
            state={state}
            name="restarts_per_day"
            label="Restarts of a service in 24 hours"
            value={String(USUAL_RESTARTS.perDay)}
            inputmode="numeric"
            required={false}
          />
        </div>
        <Field
          state={state}
          name="restart_projects"
          label="Only services of these Compose projects"
          help="Names, comma-separated. Empty: all projects."
          required={false}
        />
        <Field
          state={state}
          name="exclude_packages"
          path="/exclusions"
          label="Excluded packages"
          type="lines"
          help={EXCLUSION_HELP}
          required={false}
        />
        <Field
          state={state}
          name="exclude_images"
          label="Excluded images"
          type="lines"
          help="As above; without a tag a pattern means all tags."
          required={false}
        />
      </details>
      <OrderFields state={state} policy={policy} />
      <p class="actions">
        <button type="submit">{policy === null ? 'Create policy' : 'Save policy'}</button>
        <a href="/policies">Cancel</a>
      </p>
    </form>
    {policy === null ? null : (
      <RemoveForm
        action={`/policies/${policy.id}/remove`}
        what={`the policy ${policy.name}`}
        effect="Its servers then follow the next policy that applies to them, or get all updates."
      />
    )}
  </>
);
