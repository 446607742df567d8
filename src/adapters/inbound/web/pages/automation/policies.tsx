import type { PatchPolicies } from '../../../../../application/automation/patch-policies.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { nameProblems } from '../../../../../domain/automation/maintenance-window.ts';
import {
  MAX_POLICIES,
  type PatchPolicy,
  POLICY_JOB_TYPES,
  type PolicyDescription,
  policyNotFound,
} from '../../../../../domain/automation/patch-policy.ts';
import { readExclusion, readProjects, writeExclusion } from '../../../../../domain/automation/policy-text.ts';
import { type InputProblem, InvalidInput } from '../../../../../domain/base/errors.ts';
import { HOUR } from '../../../../../domain/base/instant.ts';
import { FormFault, type FormState } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { idOf, linesOf, noting, numberOf, textOf } from '../../form-state.ts';
import { page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { namesIn, selectorFields, selectorOf } from '../../server-names.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { orderFieldsOf, readOrder } from './policy-order.tsx';
import { PolicyCards, PolicyForm, USUAL_RESTARTS } from './policy-views.tsx';
import { selectorChoices } from './selector-fields.tsx';
import { selectorRoutes } from './selector-routes.ts';

export interface PatchPolicyDeps {
  readonly patchPolicies: Pick<PatchPolicies, 'list' | 'followers' | 'add' | 'edit' | 'remove'>;
  readonly listServers: Pick<ListServers, 'execute' | 'tags' | 'names'>;
  readonly getServer: Pick<GetServer, 'execute'>;
}

const PATH = '/policies';

/** What updates may change. */
export const patchPolicyRoutes = (deps: PatchPolicyDeps): readonly WebRoute[] =>
  selectorRoutes<PatchPolicy>({
    path: PATH,
    getServer: deps.getServer,
    list: (visit) => listPage(deps, visit),
    find: (visit) => policyAt(deps, visit),
    form: (actor, state, before, status) => formPage(deps, actor, state, before, status),
    fieldsOf: (actor, before) => fieldsOf(deps, actor, before),
    add: async (actor, form) =>
      (await deps.patchPolicies.add(actor, await described(deps, actor, form))).name,
    edit: async (actor, { id }, form) =>
      (await deps.patchPolicies.edit(actor, id, await described(deps, actor, form))).name,
    async remove(actor, { name }) {
      await deps.patchPolicies.remove(actor, name);
      return name;
    },
  });

/** Throws `policy_not_found`. */
async function policyAt(deps: PatchPolicyDeps, { visitor, params }: SignedInVisit): Promise<PatchPolicy> {
  const all = await deps.patchPolicies.list(visitor.actor, { limit: MAX_POLICIES, offset: 0 });
  const found = all.items.find(({ id }) => id === idOf(params['id']));
  if (found === undefined) throw policyNotFound('of that number');
  return found;
}

async function described(
  deps: PatchPolicyDeps,
  actor: Actor,
  form: URLSearchParams,
): Promise<PolicyDescription> {
  const problems: InputProblem[] = [];
  const name = textOf(form, 'name');
  problems.push(...nameProblems(name));
  const hours = (field: string): number => {
    const value = numberOf(form, field);
    if (Number.isNaN(value))
      problems.push({ path: `/${field}`, message: 'Enter a whole number of hours, such as 72.' });
    return value * HOUR;
  };
  const minAgeMs = hours('min_age_hours');
  const minAgeByHandMs = hours('min_age_by_hand_hours');
  const selector = await noting(problems, () => selectorOf(deps.listServers, actor, form));
  if (selector === null || problems.length > 0) throw new InvalidInput(problems);
  const types = form.getAll('scheduled_types');
  const rules = form.getAll('rules');
  return {
    name,
    selector,
    scheduledTypes: POLICY_JOB_TYPES.filter((type) => types.includes(type)),
    minAgeMs,
    minAgeByHandMs,
    securityOnly: rules.includes('security_only'),
    securityAtOnce: rules.includes('security_at_once'),
    rebootIfNeeded: rules.includes('reboot_if_needed'),
    restartUnhealthy: rules.includes('restart_unhealthy')
      ? {
          checks: numberOf(form, 'restart_checks'),
          perDay: numberOf(form, 'restarts_per_day'),
          ...projectsOf(form),
        }
      : null,
    ...readOrder(form),
    exclusions: [
      ...linesOf(form, 'exclude_packages').map((line) => readExclusion('package', line)),
      ...linesOf(form, 'exclude_images').map((line) => readExclusion('image', line)),
    ],
  };
}

function projectsOf(form: URLSearchParams): { readonly projects?: readonly string[] } {
  const names = (form.get('restart_projects') ?? '').trim();
  return names === '' ? {} : { projects: readProjects(names) };
}

async function fieldsOf(deps: PatchPolicyDeps, actor: Actor, policy: PatchPolicy): Promise<URLSearchParams> {
  const lines = (kind: 'package' | 'image'): string =>
    policy.exclusions
      .filter((each) => each.kind === kind)
      .map(writeExclusion)
      .join('\n');
  const fields = new URLSearchParams({
    name: policy.name,
    ...(await selectorFields((id) => deps.getServer.execute(actor, id), policy.selector)),
    min_age_hours: String(policy.minAgeMs / HOUR),
    min_age_by_hand_hours: String(policy.minAgeByHandMs / HOUR),
    exclude_packages: lines('package'),
    exclude_images: lines('image'),
    ...orderFieldsOf(policy),
    restart_checks: String(policy.restartUnhealthy?.checks ?? USUAL_RESTARTS.checks),
    restarts_per_day: String(policy.restartUnhealthy?.perDay ?? USUAL_RESTARTS.perDay),
    restart_projects: policy.restartUnhealthy?.projects?.join(', ') ?? '',
  });
  for (const type of policy.scheduledTypes) fields.append('scheduled_types', type);
  if (policy.securityOnly) fields.append('rules', 'security_only');
  if (policy.securityAtOnce) fields.append('rules', 'security_at_once');
  if (policy.restartUnhealthy !== null) fields.append('rules', 'restart_unhealthy');
  if (policy.rebootIfNeeded) fields.append('rules', 'reboot_if_needed');
  return fields;
}

async function listPage(deps: PatchPolicyDeps, { visitor }: SignedInVisit): Promise<WebReply> {
  const { actor } = visitor;
  const found = await deps.patchPolicies.list(actor, { limit: MAX_POLICIES, offset: 0 });
  const names = await namesIn(
    deps.listServers,
    actor,
    found.items.map(({ selector }) => selector),
  );
  const mayAct = mayOperate(actor, 'all servers');
  const list = page(
    'jobs',
    'Patch policies',
    <div class="stack">
      <PolicyCards
        policies={found.items}
        followers={await deps.patchPolicies.followers(actor)}
        names={names}
        mayAct={mayAct}
      />
      <p class="help">
        A policy decides which updates jobs install. Each server follows one policy: the one that names the
        server, else one for its tags, else the one for all servers. Servers without a policy get all updates.
      </p>
    </div>,
  );
  const actions = mayAct ? (
    <a class="button" href={`${PATH}/new`}>
      <Icon name="plus" /> New policy
    </a>
  ) : null;
  return { ...list, header: { actions }, live: { all: true } };
}

const formPage = async (
  deps: PatchPolicyDeps,
  actor: Actor,
  state: FormState,
  policy: PatchPolicy | null,
  status = 200,
): Promise<WebReply> =>
  page(
    'jobs',
    policy === null ? 'New patch policy' : `Edit ${policy.name}`,
    <>
      <FormFault state={state} />
      <PolicyForm state={state} policy={policy} choices={await selectorChoices(deps.listServers, actor)} />
    </>,
    status,
  );
