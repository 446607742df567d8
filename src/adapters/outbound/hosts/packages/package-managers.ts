import type { PackageManagers } from '../../../../application/ports/fleet/package-manager.ts';
import { APK } from './apk/apk.ts';
import { AptPackageManager } from './apt/apt-package-manager.ts';
import { PACMAN } from './pacman/pacman.ts';
import { DNF } from './rpm/dnf.ts';
import { ZYPPER } from './rpm/zypper.ts';
import { ShellPackageManager, type ShellPackageManagerOptions } from './shell-package-manager.ts';

/** The package managers that hosts are checked and patched with. */
export function packageManagers(options: ShellPackageManagerOptions): PackageManagers {
  const others = [DNF, APK, PACMAN, ZYPPER].map((family) => new ShellPackageManager(family, options));
  const managers = [new AptPackageManager(options), ...others];
  return {
    families: managers.map(({ family }) => family),
    find: (family) => managers.find((manager) => manager.family === family) ?? null,
  };
}
