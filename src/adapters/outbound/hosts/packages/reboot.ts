import { firstLines } from '../shell/host-lines.ts';
import { plainText } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';

/**
 * Prints signs of a pending reboot:
 * - `flag`: the files that packages of Debian and Ubuntu (`reboot-required`) and zypper (`reboot-needed`) create
 * - `asked NAME`: the package that requires it
 * - `kernel`: outside containers, another kernel would be booted. Alpine, Arch and SUSE remove the modules of the
 *   running one when they upgrade it; the Fedora family keeps them and boots the kernel that was installed last.
 * - `restarting`: the result of needs-restarting of dnf-utils or dnf5: core libraries or services are newer than the
 *   boot. Its code is 1 for that and for its own faults, so its words count
 * - `ksta N`: needrestart's result for the kernel, if it is installed and the account is root; 2 or 3 is a pending
 *   upgrade. `-k` checks nothing else and `-r l` restarts nothing.
 */
export const REBOOT_SIGNS = String.raw`
reboot_signs() {
  for file in /run/reboot-required /var/run/reboot-required /run/reboot-needed; do
    [ -e "$file" ] && echo flag
  done
  [ -r /run/reboot-required.pkgs ] && sort -u /run/reboot-required.pkgs | head -n 20 | sed 's/^/asked /'
  if in_container; then return 0; fi
  read -r running </proc/sys/kernel/osrelease || running=$(uname -r)
  if { has apk || has pacman || has zypper; } && [ ! -d "/lib/modules/$running" ]; then
    for modules in /lib/modules/*/modules.dep; do
      [ -e "$modules" ] && echo kernel && break
    done
  fi
  if has rpm; then
    for package in kernel-core kernel; do
      limit 5 rpm -q "$package-$running" >/dev/null || continue
      case $(limit 5 rpm -q --last "$package" | head -n 1) in
        "$package-$running "*) ;;
        *) echo kernel ;;
      esac
      break
    done
  fi
  if has needs-restarting; then
    limit 20 needs-restarting -r | grep -q 'Reboot is required' && echo restarting
  elif has dnf5; then
    limit 20 dnf5 -C needs-restarting -r | grep -q 'Reboot is required' && echo restarting
  fi
  if has needrestart && [ "$(id -u)" = 0 ]; then
    limit 10 needrestart -b -k -r l | sed -n 's/^NEEDRESTART-KSTA: */ksta /p'
  fi
  return 0
}
in_container() {
  [ -e /.dockerenv ] || [ -e /run/.containerenv ] || [ -e /run/systemd/container ] ||
    { has systemd-detect-virt && limit 5 systemd-detect-virt -q -c; }
}
`;

export interface RebootState {
  readonly pending: boolean;
  /** Packages that asked for it. */
  readonly askedBy: readonly string[];
}

/** The section `reboot` with the output of `reboot_signs`. */
export function readRebootState(sections: Sections): RebootState {
  const lines = Array.from(firstLines(sections.get('reboot')?.text ?? '', 50));
  const asked = lines.flatMap((line) => /^asked (\S{1,200})$/.exec(line)?.[1] ?? []);
  return {
    pending: lines.some((line) => /^(flag|kernel|restarting|ksta [23])$/.test(line)),
    askedBy: asked.flatMap((name) => plainText(name, 80) ?? []),
  };
}
