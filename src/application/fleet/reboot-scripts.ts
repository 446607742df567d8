export const BOOT_ID = 'cat /proc/sys/kernel/random/boot_id';

const ABLE = `PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
[ "$(id -u)" = 0 ] || exit 70
command -v shutdown >/dev/null || command -v reboot >/dev/null || exit 71
`;

/** Whether the host could be restarted, with the codes of `REBOOT`. */
export const CAN_REBOOT = `${ABLE}exit 0`;

/**
 * "$1": the boot that is to end. The host compares, since who asks may have been halted for long: another worker may have
 * restarted the host meanwhile. A second later and in a session of its own, so that the answer is out before the network goes.
 */
export const REBOOT = `[ "$(cat /proc/sys/kernel/random/boot_id)" = "$1" ] || exit 0
${ABLE}setsid sh -c 'sleep 1; shutdown -r now || reboot' </dev/null >/dev/null 2>&1 &
exit 0`;

/** Tells "$1" to all who are signed in, where the host can. */
export const ANNOUNCE = `! command -v wall >/dev/null || printf '%s\\n' "$1" | wall >/dev/null 2>&1 || :`;
