import { firstLines, plainText } from '../../application/remote-host/host-text.ts';
import type { Sections } from '../../application/remote-host/marked-sections.ts';
import { type FailedUnit, MOST_FAILED_UNITS } from '../../domain/inventory.ts';

export const FAILED_UNITS = String.raw`
failed_units() {
  [ -d /run/systemd/system ] && has systemctl || return
  section failed-units 100000 limit 10 systemctl --failed --plain --no-legend --no-pager --full
}
`;

/** `nginx.service loaded failed failed A high performance web server`; older systemd puts a bullet before it. */
const UNIT = /^(?:[●*] )?\s*(\S{1,300})\s+\S+\s+failed\s+\S+\s*(.{0,500})/;

export function readFailedUnits(sections: Sections): readonly FailedUnit[] | null {
  const section = sections.get('failed-units');
  if (!section || section.exitCode !== 0) return null;
  const units = Array.from(firstLines(section.text, 2 * MOST_FAILED_UNITS)).flatMap((line) => {
    const [, unit, description] = UNIT.exec(line.slice(0, 1_000)) ?? [];
    const name = plainText(unit);
    return name === null ? [] : [{ name, description: plainText(description) ?? '' }];
  });
  return units.slice(0, MOST_FAILED_UNITS);
}
