import { type FailedUnit, MAX_FAILED_UNITS } from '../../../../domain/fleet/inventory.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';

export const FAILED_UNITS = String.raw`
failed_units() {
  [ -d /run/systemd/system ] && has systemctl || return
  section failed-units 100000 limit 10 systemctl --failed --plain --no-legend --no-pager --full
}
`;

const BULLETS = new Set(['●', '*']);
/** systemd.unit(5): what a unit's name is made of, and its kinds that can fail. */
const UNIT_NAME =
  /^[\w:.\\@-]{1,245}\.(?:service|socket|mount|automount|swap|timer|path|scope|slice|target|device)$/;

export function readFailedUnits(sections: Sections): readonly FailedUnit[] | null {
  const section = sections.get('failed-units');
  if (!section || section.exitCode !== 0) return null;
  const units = Array.from(firstLines(section.text, 2 * MAX_FAILED_UNITS)).flatMap((line) => {
    const unit = unitOf(line);
    return unit === null ? [] : [unit];
  });
  return units.slice(0, MAX_FAILED_UNITS);
}

/** Of `nginx.service loaded failed failed A high performance web server`; older systemd puts a bullet before it. */
function unitOf(line: string): FailedUnit | null {
  const words = line.split(/\s+/).filter((word) => word !== '' && !BULLETS.has(word));
  const [name = '', , active, , ...description] = words;
  if (active !== 'failed') return null;
  return UNIT_NAME.test(name)
    ? { name, description: plainText(description.join(' ')) ?? '' }
    : { name: 'unknown unit', description: 'The host reports a name that no unit of systemd can have.' };
}
