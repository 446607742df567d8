import { DomainError } from '../../domain/base/errors.ts';

export const BOOT_ID = 'cat /proc/sys/kernel/random/boot_id';

const ABLE = `PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
[ "$(id -u)" = 0 ] || exit 70
command -v shutdown >/dev/null || command -v reboot >/dev/null || exit 71
`;

/** Whether the host could be restarted, with the codes of `REBOOT`. */
export const CAN_REBOOT = `${ABLE}exit 0`;

/**
 * "$1": the boot to end. The host compares it, since the caller may have been suspended for long: another worker may
 * have rebooted the host in the meantime. It runs a second later and in its own session, so that the answer is sent
 * before the network goes down.
 */
export const REBOOT = `[ "$(cat /proc/sys/kernel/random/boot_id)" = "$1" ] || exit 0
${ABLE}setsid sh -c 'sleep 1; shutdown -r now || reboot' </dev/null >/dev/null 2>&1 &
exit 0`;

/** Sends "$1" to all signed-in users, if the host can. */
export const ANNOUNCE = `! command -v wall >/dev/null || printf '%s\\n' "$1" | wall >/dev/null 2>&1 || :`;

/** The codes of the scripts that restart a host. */
export function refuseByCode(exitCode: number | null): void {
  if (exitCode === 70) {
    throw new DomainError(
      'host_command_failed',
      'Only root may restart the host: log in as root, or let the server use sudo (become "sudo").',
    );
  }
  if (exitCode === 71) {
    throw new DomainError('host_tool_missing', 'The host has neither shutdown nor reboot.');
  }
}
