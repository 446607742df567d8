import { DomainError } from '../../../../domain/base/errors.ts';
import { lastLine } from './host-lines.ts';

/** Explains why `sudo -n` did not start a command, and what to change on the host. `username` logs in there. */
export function sudoRefusal(serverName: string, username: string, printed: string): DomainError {
  const stderr = printed.slice(0, MAX_LOOKED_AT);
  const said = lastWords(stderr) || 'nothing';
  const rule = `${username} ALL=(ALL) NOPASSWD: ALL`;
  const allow = `allow it with a line "${rule}" in /etc/sudoers.d/drover (edit by: visudo -f /etc/sudoers.d/drover)`;
  if (/must have a tty/.test(stderr)) {
    return refusal(
      `sudo on "${serverName}" requires a terminal: add a line "Defaults:${username} !requiretty" to /etc/sudoers.d/drover.`,
    );
  }
  if (/sudo: (a password is required|a terminal is required)/.test(stderr)) {
    return refusal(`sudo on "${serverName}" asks user "${username}" for a password: ${allow}.`);
  }
  if (/not (in the sudoers file|allowed to)|may not run sudo/.test(stderr)) {
    return refusal(
      `sudo on "${serverName}" does not allow user "${username}" to run commands as root: ${allow}.`,
    );
  }
  if (/sudo['’]?:? .{0,200}not found|No such file|ENOENT/.test(stderr)) {
    return refusal(
      `sudo is not installed on "${serverName}": install it, or log in as root with become "none".`,
    );
  }
  return refusal(
    `sudo on "${serverName}" did not start a command for user "${username}" (it said: ${said}): ${allow}.`,
  );
}

const refusal = (detail: string): DomainError => new DomainError('host_command_failed', detail);

const MAX_LOOKED_AT = 4_096;
const lastWords = (text: string): string => lastLine(text).slice(0, 300);
