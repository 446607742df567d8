import { type BackupDeps, backupRoutes } from './pages/backups/backups.tsx';
import { type SnapshotDeps, snapshotRoutes } from './pages/backups/snapshots.tsx';
import { editFileRoutes } from './pages/files/edit-file.tsx';
import { type FileDeps, fileRoutes } from './pages/files/files.tsx';
import { type HostFileDeps, hostFileRoutes } from './pages/files/host-files.tsx';
import { type PrivilegedFileDeps, privilegedFileRoutes } from './pages/files/privileged-files.tsx';
import type { WebRoute } from './route.ts';

export type FileAreaDeps = BackupDeps & FileDeps & HostFileDeps & PrivilegedFileDeps & SnapshotDeps;

/** Files as they are and as they were. */
export const fileAreaRoutes = (deps: FileAreaDeps): readonly WebRoute[] => [
  ...backupRoutes(deps),
  ...snapshotRoutes(deps),
  ...fileRoutes(deps),
  ...editFileRoutes(deps),
  ...privilegedFileRoutes(deps),
  ...hostFileRoutes(deps),
];
