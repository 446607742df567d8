import type { Schedule } from '../../../domain/automation/schedule.ts';
import { scheduleNotFound } from '../../../domain/automation/schedule.ts';
import type { Session } from './session.ts';

const PAGE = 100;

/** A schedule by its id or, where that is no number, by its name. Throws `schedule_not_found`. */
export async function findSchedule(session: Session, reference: string): Promise<Schedule> {
  const { useCases, actor } = session;
  if (/^[1-9]\d{0,15}$/.test(reference) && Number.isSafeInteger(Number(reference))) {
    const page = { limit: 1, offset: 0 };
    return (await useCases.getSchedule.execute(actor, Number(reference), page)).schedule;
  }
  for (let offset = 0; ; offset += PAGE) {
    const page = await useCases.listSchedules.execute(actor, { limit: PAGE, offset });
    const found = page.items.find(({ schedule }) => schedule.name === reference);
    if (found) return found.schedule;
    if (offset + PAGE >= page.total) throw scheduleNotFound(`"${reference.slice(0, 60)}"`);
  }
}
