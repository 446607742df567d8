import type { PackageManagers } from '../../application/ports/package-manager.ts';
import { type AptOptions, AptPackageManager } from './apt/apt-package-manager.ts';

/** The package managers that updates can be checked with. */
export function packageManagers(options: AptOptions): PackageManagers {
  const managers = [new AptPackageManager(options)];
  return {
    families: managers.map(({ family }) => family),
    find: (family) => managers.find((manager) => manager.family === family) ?? null,
  };
}
