import {
  type ApiToken,
  type ApprovalMode,
  approvalMode,
  isExpired,
} from '../../../../../domain/access/api-token.ts';
import { USUAL_RULE } from '../../../../../domain/access/approval-rule.ts';
import { CAPABILITIES, FEATURE_SCOPES, SCOPE_TITLES } from '../../../../../domain/access/scope.ts';
import { type Instant, toMinute } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { FindBoxes } from '../../components/find-boxes.tsx';
import { Choices, Field, type FormState, problemAt } from '../../components/form.tsx';
import { LocalTimes } from '../../components/time.tsx';
import { ApprovalRuleFields } from './approval-rule-form.tsx';
import type { TokenPreset } from './token-presets.tsx';

/** A description of each scope. */
export const SCOPE_HELP: Readonly<Record<string, string>> = {
  read: 'View servers, jobs and inventory. Every token needs it.',
  jobs: 'Start and cancel jobs: backups, retention, updates.',
  edit: 'Turn server features on and off.',
  files: "Read and write files inside the servers' file access folders.",
  'feature:backup': 'Backups and retention.',
  'feature:os': 'System packages and reboots.',
  'feature:docker': 'Containers and stacks.',
};

export const APPROVAL_CHOICES: readonly {
  readonly value: ApprovalMode;
  readonly label: string;
  readonly help: string;
}[] = [
  {
    value: 'reviewer',
    label: 'By a user of Drover',
    help: 'Nothing happens until a user approves it here.',
  },
  {
    value: 'client',
    label: 'By the user of the agent',
    help: 'In a client that can ask. Requests of other clients wait here.',
  },
  {
    value: 'none',
    label: 'None',
    help: 'It acts at once. You grant that to whatever holds the token.',
  },
];

/** Problems of the fields that are folded. */
const LIMITS = /^\/(servers|allowed_)/;

const RULE = /^\/approver/;

interface Props {
  readonly state: FormState;
  readonly now: Instant;
  /** Those that can be ticked; `null`: there are too many for that. */
  readonly servers: readonly Server[] | null;
  /** The token to change; `null`: a new one. */
  readonly token: ApiToken | null;
  /** The choices of a new token at first; `null`: nothing. */
  readonly preset: TokenPreset | null;
  /** The address of the live check of IP ranges. */
  readonly check: string;
}

/** The fields of a token. */
export function TokenFields({ state, now, servers, token, preset, check }: Props) {
  const scopes = token?.scopes ?? preset?.scopes ?? [];
  return (
    <>
      <Field
        state={state}
        name="name"
        label="Name"
        help="Who or what uses this token. Shown in the audit log."
        value={token?.name ?? preset?.name ?? ''}
        focus
      />
      <Choices
        state={state}
        name="scopes"
        legend="Scopes"
        type="checkbox"
        chosen={scopes}
        choices={CAPABILITIES.map((value) => ({
          value,
          label: SCOPE_TITLES[value],
          help: SCOPE_HELP[value],
        }))}
      />
      <div class="for-changes">
        <Choices
          state={state}
          name="approval"
          legend="Approval of its jobs and changes"
          type="radio"
          chosen={[token === null ? (preset?.approval ?? 'client') : approvalMode(token)]}
          choices={APPROVAL_CHOICES}
        />
      </div>
      <Expiry state={state} token={token} now={now} />
      <details
        class="more for-changes"
        open={(token?.approvalRule ?? null) !== null || state.problems.some(({ path }) => RULE.test(path))}
      >
        <summary>Who approves its requests</summary>
        <ApprovalRuleFields state={state} rule={token?.approvalRule ?? USUAL_RULE} />
      </details>
      <details class="more" open={token !== null || state.problems.some(({ path }) => LIMITS.test(path))}>
        <summary>Limits: features, servers, addresses</summary>
        <Choices
          state={state}
          name="scopes"
          // Errors of scopes are shown once, above.
          path="/features"
          legend="Limit to features"
          type="checkbox"
          help="None selected: all features."
          chosen={scopes}
          choices={FEATURE_SCOPES.map((value) => ({
            value,
            label: SCOPE_TITLES[value],
            help: SCOPE_HELP[value],
          }))}
        />
        <ServerChoice state={state} servers={servers} chosen={token?.allowedServerIds ?? null} />
        <Field
          state={state}
          name="allowed_cidrs"
          label="Addresses"
          help="IP ranges that may use the token, comma-separated, such as 192.0.2.0/24. Empty: any."
          required={false}
          value={token?.allowedCidrs.join(', ') ?? ''}
          check={check}
        />
      </details>
    </>
  );
}

function ServerChoice({
  state,
  servers,
  chosen,
}: {
  readonly state: FormState;
  readonly servers: readonly Server[] | null;
  readonly chosen: readonly number[] | null;
}) {
  return (
    <>
      <Choices
        state={state}
        name="servers"
        legend="Servers"
        type="radio"
        chosen={[chosen === null ? 'all' : 'some']}
        choices={[
          { value: 'all', label: 'All', help: 'Includes servers that you add later.' },
          { value: 'some', label: 'Only these', help: 'Other servers are hidden from the token.' },
        ]}
      />
      {/* A choice that contradicts them leaves them in sight. */}
      <div class={problemAt(state, '/servers') === null ? 'for-servers' : undefined}>
        {servers === null || servers.length === 0 ? (
          <>
            <Field
              state={state}
              name="allowed_server_ids"
              label="Only these servers"
              help="Server names or IDs, comma-separated."
              required={false}
              value={chosen?.join(', ') ?? ''}
            />
            <Field
              state={state}
              name="allowed_tags"
              label="All servers with these tags"
              help={`Comma-separated. ${TAGS_HELP}`}
              required={false}
            />
          </>
        ) : (
          <>
            <TagChoices state={state} servers={servers} />
            <FindBoxes what="servers" count={servers.length}>
              <Choices
                state={state}
                name="allowed_server_ids"
                legend="Only these servers"
                type="checkbox"
                chosen={(chosen ?? []).map(String)}
                choices={servers.map(({ id, name, tags }) => ({
                  value: String(id),
                  label: name,
                  help: tags.length === 0 ? undefined : tags.join(', '),
                }))}
              />
            </FindBoxes>
          </>
        )}
      </div>
    </>
  );
}

/** The token stores servers, not tags. */
const TAGS_HELP = 'Selects the servers that have the tag now, not those that get it later.';

function TagChoices({ state, servers }: { readonly state: FormState; readonly servers: readonly Server[] }) {
  const counts = new Map<string, number>();
  for (const tag of servers.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  if (counts.size === 0) return null;
  return (
    <FindBoxes what="tags" count={counts.size}>
      <Choices
        state={state}
        name="allowed_tags"
        legend="All servers with these tags"
        help={TAGS_HELP}
        type="checkbox"
        chosen={[]}
        choices={[...counts]
          .toSorted(([, one], [, other]) => other - one)
          .map(([tag, number]) => ({ value: tag, label: tag, help: count(number, 'server') }))}
      />
    </FindBoxes>
  );
}

function Expiry({ state, token, now }: Pick<Props, 'state' | 'token' | 'now'>) {
  const presets = [
    { value: 'never', label: 'Never' },
    { value: '30d', label: 'In 30 days' },
    { value: '90d', label: 'In 90 days' },
    { value: 'date', label: 'On a date' },
  ];
  const kept = token === null ? [] : [{ value: 'keep', label: <LocalTimes text={keptExpiry(token, now)} /> }];
  const dayState = blamingDay(state);
  return (
    <>
      <Choices
        state={dayState}
        name="expires_at"
        legend="Expires"
        type="radio"
        chosen={[token === null ? '90d' : 'keep']}
        choices={[...kept, ...presets]}
      />
      <div class="for-date">
        <Field
          state={dayState}
          name="expires_on"
          label="Expiry date"
          help="The token expires at the end of this day in UTC."
          type="date"
          required={false}
        />
      </div>
    </>
  );
}

function keptExpiry(token: ApiToken, now: Instant): string {
  if (token.expiresAt === null) return 'no change: never';
  return `no change: ${isExpired(token, now) ? 'expired on ' : ''}${toMinute(token.expiresAt)}`;
}

/** Errors of the expiry belong to the date field, if one was given. */
const blamingDay = (state: FormState): FormState =>
  state.typed.get('expires_at') === 'date'
    ? {
        ...state,
        problems: state.problems.map((problem) =>
          problem.path === '/expires_at' ? { ...problem, path: '/expires_on' } : problem,
        ),
      }
    : state;
