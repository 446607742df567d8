import { DomainError } from '../../../../../domain/base/errors.ts';
import type { AptRefreshLog } from './apt-refresh-log.ts';

/** Advice for the most common faults, found by apt's words. The first match is used. */
const NEXT_STEPS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /resolv/i,
    "Check the host's DNS (/etc/resolv.conf) and that it can reach the addresses of its package sources.",
  ],
  [
    /connect|timed out|unreachable|refused/i,
    "Check the host's network, its proxy for apt and the addresses of its package sources.",
  ],
  [/no space left/i, 'Free space on the host under /var/lib/apt/lists and /var/cache/apt.'],
  [
    /NO_PUBKEY|not signed|EXPKEYSIG|signature|keyring/i,
    'Install the current signing key of that source on the host.',
  ],
  [/expired|not valid yet/i, "Check the host's clock, and whether that source is still maintained."],
  [/changed its/i, 'Run "apt-get update" by hand on the host and accept the change.'],
  [
    /404|does not have a Release/i,
    'The address or suite is gone: correct it in /etc/apt/sources.list or sources.list.d.',
  ],
];
const ANY_STEP = 'Run "apt-get update" on the host and fix the sources that it names.';

const MAX_QUOTED = 3;

/** Why no list could be refreshed; `null` where at least one was, or there is no source to refresh. */
export function refreshRefusal(log: AptRefreshLog, exitCode: number | null): DomainError | null {
  if (exitCode === 127) {
    return new DomainError('host_tool_missing', 'This host has no apt-get, although it is Debian-based.');
  }
  if (log.noPermission) {
    return failed(
      'this user cannot refresh the lists of apt',
      log.errors,
      'Log in as root, or let the server use sudo (become "sudo").',
    );
  }
  if (exitCode === null) return failed('apt-get update was terminated by a signal', log.errors);
  if (log.anyRefreshed) return null;
  const faults = [...log.failed].map(([source, reason]) => `${source}: ${reason}`);
  if (log.errors.length > 0) return failed('apt could not refresh its lists', [...log.errors, ...faults]);
  if (faults.length > 0) return failed('No package source could be refreshed', faults);
  if (exitCode !== 0) return failed(`apt-get update exited with code ${exitCode}`, log.warnings);
  return null;
}

export const lockRefusal = (holder: string, waitedMs: number): DomainError =>
  new DomainError(
    'host_command_failed',
    `The package lists could not be refreshed: ${holder} has held apt's lock on the host for ${Math.round(waitedMs / 1000)} s. Try again when it is done, or find the process that hangs on the host (fuser -v /var/lib/apt/lists/lock).`,
  );

export const planRefusal = (errors: readonly string[]): DomainError =>
  failed(
    'apt refreshed its lists but cannot resolve an upgrade',
    errors,
    'Fix it on the host: "dpkg --configure -a", then "apt-get -f install".',
  );

function failed(what: string, words: readonly string[], nextStep = stepFor(words)): DomainError {
  const quoted = words.slice(0, MAX_QUOTED).map((line) => line.replace(/\.$/, ''));
  const more = words.length > MAX_QUOTED ? ` (and ${words.length - MAX_QUOTED} more)` : '';
  const said = quoted.length > 0 ? `: ${quoted.join('; ')}${more}` : '';
  return new DomainError('host_command_failed', `${what}${said}. ${nextStep}`);
}

const stepFor = (words: readonly string[]): string =>
  NEXT_STEPS.find(([pattern]) => words.some((line) => pattern.test(line)))?.[1] ?? ANY_STEP;
