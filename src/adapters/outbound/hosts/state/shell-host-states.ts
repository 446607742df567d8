import { createHash } from 'node:crypto';
import type { Randomness } from '../../../../application/ports/base/randomness.ts';
import type { HostReading, HostStates } from '../../../../application/ports/fleet/host-states.ts';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { SECOND } from '../../../../domain/base/instant.ts';
import { withoutEnd } from '../../../../domain/base/without-end.ts';
import { IN_TRANSITION, type StateFacts } from '../../../../domain/fleet/host-state.ts';
import { firstLines } from '../shell/host-lines.ts';
import { readSections, SECTIONS_PRELUDE, type Sections } from '../shell/marked-sections.ts';
import { factsByName } from './facts-by-name.ts';
import { INSTALLED, readInstalled, readPackages } from './installed-packages.ts';
import { MOUNTS, PORTS, readMounts, readPorts } from './mounts-and-ports.ts';
import { FIXES, readFixes } from './reported-fixes.ts';

/** The keys are those with which the account of the service can be signed in to. */
const USERS = String.raw`
users() {
  section state-users 1000000 cat /etc/passwd
  login=${'$'}{SUDO_USER:-$(id -un)}
  home=$HOME
  while IFS=: read -r name secret uid gid words place shell; do
    [ "$name" = "$login" ] && home=$place
  done </etc/passwd
  set --
  for file in "$home/.ssh/authorized_keys" "$home/.ssh/authorized_keys2"; do
    [ -r "$file" ] && set -- "$@" "$file"
  done
  if [ "$#" = 0 ]; then
    section_here state-keys :
  else
    section state-keys 1000000 cat "$@"
  fi
}
`;

/** Shells that no user can sign in with; /bin/sync and the like are Debian's placeholders. */
const NO_SHELL = /\/(?:nologin|false|sync|halt|shutdown|true)$/;

/** `ada` → `uid 1000, /home/ada, /bin/bash`. */
export const readUsers = (sections: Sections): StateFacts =>
  factsByName('user', sections.get('state-users'), (line) => {
    const [name = '', , uid = '', , , home = '', shell = ''] = line.split(':', 7);
    if (name === '' || name.startsWith('#') || NO_SHELL.test(shell)) return null;
    return [name, `uid ${uid}, ${home}, ${shell === '' ? '/bin/sh' : shell}`];
  });

/** sshd(8), AUTHORIZED_KEYS FILE FORMAT: options, type, key, comment. */
const TYPE = /^(?:sk-)?(?:ssh|ecdsa)-[\w@.-]{1,60}$/;
const KEY = /^[A-Za-z0-9+/=]{16,20000}$/;

/** `SHA256:…` → `ssh-ed25519, ada@laptop`, as ssh-keygen prints it. */
export const readKeys = (sections: Sections): StateFacts =>
  factsByName('key', sections.get('state-keys'), (line) => {
    const words = line.trim().split(/\s+/);
    const at = words.findIndex((word) => TYPE.test(word));
    const [type, key, ...comment] = words.slice(at);
    if (at < 0 || type === undefined || !KEY.test(key ?? '') || line.startsWith('#')) return null;
    const digest = createHash('sha256')
      .update(Buffer.from(key ?? '', 'base64'))
      .digest('base64');
    const options = at === 0 ? '' : `only with ${words.slice(0, at).join(' ')}`;
    const value = [type, comment.join(' '), options].filter((part) => part !== '').join(', ');
    return [`SHA256:${withoutEnd(digest, '=')}`, value];
  });

/** Unit files with their state, and the services in memory with theirs; systemd only. */
const UNITS = String.raw`
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
    // Programs make transient units for a while: podman one for each health check.
    if (name === undefined || state === undefined || state === 'transient') return null;
    if (!IS_MANAGED.test(state) || triggered.has(name)) return [name, state];
    const running = LASTING[subStates.get(name) ?? 'dead'];
    return [name, running === undefined ? IN_TRANSITION : `${state}${running}`];
  });
}

const SCRIPT = `${SECTIONS_PRELUDE}${INSTALLED}${FIXES}${UNITS}${MOUNTS}${PORTS}${USERS}
states() {
  mounts
  ports
  users
  units
  installed
  fixes
}
at_once states
exit 0
`;

/** A host that does not answer holds up its inventory for no longer. */
const LIMITS = { timeoutMs: 30 * SECOND, maxOutputBytes: 8 * 1024 * 1024 };

/** Reads a host's state with one constant script, as root if the server allows it. */
export class ShellHostStates implements HostStates {
  readonly #randomness: Randomness;

  constructor({ randomness }: { randomness: Randomness }) {
    this.#randomness = randomness;
  }

  async read(host: RemoteHost, signal: AbortSignal): Promise<HostReading> {
    const mark = Buffer.from(this.#randomness.bytes(16)).toString('hex');
    const { stdout } = await host.run({ script: SCRIPT, args: [mark], asRoot: true }, { signal, ...LIMITS });
    const sections = readSections(stdout.toString('utf8'), mark);
    const installed = readPackages(sections);
    return {
      package: readInstalled(sections),
      installed,
      fixes: readFixes(sections, installed),
      unit: readUnits(sections),
      mount: readMounts(sections),
      port: readPorts(sections),
      user: readUsers(sections),
      key: readKeys(sections),
    };
  }
}
