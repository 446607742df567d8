import type { HostCommand } from '../../../../application/ports/fleet/remote-host.ts';

/**
 * sshd passes a command to the user's login shell as one text, whatever shell that is, and start-up files may print.
 * Two measures make that harmless:
 * Everything travels in single quotes that contain only characters that all shells read in the same way: a quote, a
 *  backslash, `!` (csh's history), a newline and anything but plain ASCII are written `\0ooo`, which printf's %b
 *  decodes (POSIX). Tried with dash, bash, busybox, zsh, mksh, tcsh and fish as login shells.
 * The program prints a mark on both streams before the script starts. Anything before it is noise and dropped; a
 *  command that ends without it never started.
 */
export function commandLine(command: HostCommand, options: { readonly sudo: boolean }): string {
  const args = (command.args ?? []).map(quote).join(' ');
  const program = `${encode(`set -- ${args}`)}${encodedScript(command.script)}`;
  const become = options.sudo ? 'sudo -n -- ' : '';
  return `exec ${become}sh -c 'eval "$(printf %b "$1")"' drover '${program}'`;
}

const MARK = 'drover-started';

/** The program's mark; the group receives the signal that ends the command. */
export const START_MARK = new RegExp(`#${MARK}:(?<group>\\d+)#\\n`);

// The fifth field of /proc/PID/stat is the process group (proc_pid_stat(5)); under sudo it is not the shell's own id.
// Plain users often lack the sbin directories in PATH.
const PROLOGUE = `export LC_ALL=C PATH="\${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin"
read -r drover_a drover_a drover_a drover_a drover_group drover_a </proc/$$/stat
printf '#${MARK}:%s#\\n' "\${drover_group:-$$}"
printf '#${MARK}:%s#\\n' "\${drover_group:-$$}" >&2
unset drover_a drover_group`;

/** Scripts are constant and long, and there are few of them. */
const MAX_SCRIPTS = 100;
const encodedScripts = new Map<string, string>();

function encodedScript(script: string): string {
  const known = encodedScripts.get(script);
  if (known !== undefined) return known;
  const encoded = encode(`\n${PROLOGUE}\n${script}`);
  if (encodedScripts.size >= MAX_SCRIPTS) encodedScripts.clear();
  encodedScripts.set(script, encoded);
  return encoded;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const encode = (text: string): string =>
  text.replace(/[^ "#-&(-[\]-~]+/g, (special) =>
    Array.from(Buffer.from(special), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(''),
  );

/**
 * Ends the process groups "$@": TERM, then KILL for the rest two seconds later. A separate command, because OpenSSH
 * passes on no signals for root logins, nor to sudo's children. Dash and busybox each reject one of the forms with
 * `--`, so there is none.
 */
export const END_GROUPS_SCRIPT = `trap "" HUP PIPE
for group; do kill -TERM "-$group" 2>/dev/null; done
turn=0
while [ $turn -lt 20 ]; do
  left=
  for group; do kill -0 "-$group" 2>/dev/null && left=1; done
  [ "$left" ] || exit 0
  sleep 0.1 2>/dev/null || { sleep 1; turn=$((turn + 9)); }
  turn=$((turn + 1))
done
for group; do kill -KILL "-$group" 2>/dev/null; done
exit 0`;
