import { type BackupDeps, backupRoutes } from './pages/backups.tsx';
import { editFileRoutes } from './pages/edit-file.tsx';
import { type FileDeps, fileRoutes } from './pages/files.tsx';
import { type HostFileDeps, hostFileRoutes } from './pages/host-files.tsx';
import { type PrivilegedFileDeps, privilegedFileRoutes } from './pages/privileged-files.tsx';
import { type SnapshotDeps, snapshotRoutes } from './pages/snapshots.tsx';
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
