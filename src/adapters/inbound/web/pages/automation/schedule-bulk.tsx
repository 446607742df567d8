import type { GetSchedule } from '../../../../../application/automation/list-schedules.ts';
import type { ManageSchedules } from '../../../../../application/automation/manage-schedules.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { MAX_SCHEDULES, type Schedule } from '../../../../../domain/automation/schedule.ts';
import { InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { type BulkOutcome, bulkResultPage } from '../../components/bulk-outcome.tsx';
import { idOf } from '../../form-state.ts';
import { redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { namesIn } from '../../server-names.ts';

interface ScheduleBulkDeps {
  readonly getSchedule: Pick<GetSchedule, 'execute'>;
  readonly manageSchedules: Pick<ManageSchedules, 'edit'>;
  readonly listServers: Pick<ListServers, 'names'>;
}

const LIST = '/schedules';
const PATH = `${LIST}/bulk`;
export const SCHEDULE_BULK = 'bulk-schedules';
const ACTIONS = { enable: 'Enabled', disable: 'Disabled' } as const;
const OTHER = { enable: 'disable', disable: 'enable' } as const;

/** Enables or disables the selected schedules. */
export const bulkScheduleRoutes = (deps: ScheduleBulkDeps): readonly WebRoute[] => [
  { method: 'POST', path: PATH, needs: 'operator', handle: (visit) => act(deps, visit) },
];

export const ScheduleBulkBar = () => (
  <BulkBar id={SCHEDULE_BULK} method="post" action={PATH} noun="schedules" filter={{}}>
    <button type="submit" name="action" value="enable">
      Enable
    </button>
    <button type="submit" name="action" value="disable">
      Disable
    </button>
  </BulkBar>
);

/** A page with the reasons if some were refused; those that are as asked already stay as they are. */
async function act(deps: ScheduleBulkDeps, { visitor: { actor }, form }: SignedInVisit): Promise<WebReply> {
  const action = form.get('action');
  if (action !== 'enable' && action !== 'disable')
    throw new InvalidInput([{ path: '/action', message: 'Choose enable or disable.' }]);
  const enabled = action === 'enable';
  const ids = form.getAll('ids').flatMap((raw) => idOf(raw) ?? []);
  const schedules: Schedule[] = [];
  // All are read first: an unknown one changes none.
  for (const id of ids.slice(0, MAX_SCHEDULES))
    schedules.push((await deps.getSchedule.execute(actor, id, { limit: 1, offset: 0 })).schedule);
  const changed: number[] = [];
  const tried: { readonly schedule: Schedule; readonly refusal: string | null }[] = [];
  for (const schedule of schedules) {
    let refusal: string | null = null;
    try {
      if (schedule.enabled !== enabled) {
        await deps.manageSchedules.edit(actor, schedule.id, { enabled });
        changed.push(schedule.id);
      }
    } catch (error) {
      // The password is asked for, and the form sent again: what is done by then stays as it is.
      if (!isDomainError(error) || error.code === 'confirmation_needed') throw error;
      refusal = error.message;
    }
    tried.push({ schedule, refusal });
  }
  const verb = ACTIONS[action];
  if (tried.some(({ refusal }) => refusal !== null)) {
    const selectors = tried.map(({ schedule }) => schedule.selector);
    const names = await namesIn(deps.listServers, actor, selectors);
    const outcomes = tried.map(({ schedule, refusal }) => outcomeOf(schedule, names, refusal));
    const back = { href: LIST, label: 'All schedules' };
    return bulkResultPage({ area: 'jobs', verb, noun: 'schedule', back, outcomes });
  }
  const toast = `${count(tried.length, 'schedule')} ${verb.toLowerCase()}`;
  const undo = { action: PATH, fields: { action: [OTHER[action]], ids: changed.map(String) } };
  return { ...redirect(LIST), toast, ...(changed.length > 0 && { undo }) };
}

const outcomeOf = (
  { id, name, selector }: Schedule,
  names: ReadonlyMap<number, string>,
  refusal: string | null,
): BulkOutcome => ({
  key: id,
  name: <a href={`${LIST}/${id}`}>{name}</a>,
  server: selectorText(selector, names),
  result: null,
  refusal,
});
