import { IN_TRANSITION, type StateFacts } from '../../../../domain/fleet/host-state.ts';
import { firstLines } from '../shell/host-lines.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { factsByName } from './facts-by-name.ts';

/** Unit files with their state, and the services in memory with theirs; systemd only. */
export const UNITS = String.raw`
units() {
  [ -d /run/systemd/system ] && has systemctl || return
  section state-units 1000000 limit 15 systemctl list-units --all --type=service --plain --no-legend --no-pager --full
  section state-unit-files 1000000 limit 15 systemctl list-unit-files --type=service,socket,timer,path --no-legend --no-pager --full
}
`;

/** Units that people start and stop; others come and go with those that use them. */
const IS_MANAGED = /^(?:enabled|enabled-runtime|disabled|linked|linked-runtime)$/;
const MAX_LINES = 10_000;

/** systemctl(1), SUB; all others are on their way. */
const LASTING: Readonly<Record<string, string>> = {
  running: ', running',
  exited: ', done',
  dead: '',
  failed: ', failed',
};

/** Starts and ends its service when it is used, or when its time has come. */
const TRIGGER = /\.(?:socket|timer|path)$/;

/** `nginx.service` → `enabled, running`. */
export function readUnits(sections: Sections): StateFacts {
  const services = sections.get('state-units');
  const files = sections.get('state-unit-files');
  if (services?.exitCode !== 0) return null;
  const subStates = new Map<string, string>();
  for (const line of firstLines(services.text, MAX_LINES)) {
    const [name = '', , , sub = ''] = line.trim().split(/\s+/, 4);
    subStates.set(name, sub);
  }
  const triggered = new Set<string>();
  for (const line of firstLines(files?.text ?? '', MAX_LINES)) {
    const [name = ''] = line.trim().split(/\s+/, 1);
    if (TRIGGER.test(name)) triggered.add(name.replace(TRIGGER, '.service'));
  }
  return factsByName('unit', files, (line) => {
    const [name, state] = line.trim().split(/\s+/, 2);
    if (name === undefined || state === undefined) return null;
    if (!IS_MANAGED.test(state) || triggered.has(name)) return [name, state];
    const running = LASTING[subStates.get(name) ?? 'dead'];
    return [name, running === undefined ? IN_TRANSITION : `${state}${running}`];
  });
}
