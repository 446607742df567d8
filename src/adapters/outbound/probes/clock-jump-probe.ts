import type { ClockRecord } from '../../../application/ports/service/clock-record.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import { toIso } from '../../../domain/base/instant.ts';
import { fail, ok, warn } from './finding.ts';

/** Whether the clock of the service jumped, and nobody has said since that the time is right. */
export const clockJumpProbe = (record: Pick<ClockRecord, 'open'>): Probe => ({
  name: 'clock jumps',
  look: async () => {
    const name = 'clock jumps';
    const jumps = await record.open();
    const jump = jumps.find(({ kind }) => kind === 'ahead') ?? jumps[0];
    if (jump === undefined) return ok(name, 'The clock went on steadily.');
    const detail = `The service expected ${toIso(jump.fromAt)}, and its clock showed ${toIso(jump.toAt)}.`;
    if (jump.kind === 'back')
      return warn({
        name,
        detail,
        remedy: "if this time is wrong, correct the clock of the service's machine",
      });
    return fail({
      name,
      detail: `${detail} Nothing is removed because of its age until this is settled.`,
      remedy:
        'correct the clock; if the time is right, drover alert list --kind clock.jumped, and drover alert ack ID',
    });
  },
});
