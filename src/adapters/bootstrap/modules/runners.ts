import { BackupRunner } from '../../../application/backups/backup-runner.ts';
import { DumpRestoreRunner } from '../../../application/backups/dump-restore-runner.ts';
import { RestoreRunner } from '../../../application/backups/restore-runner.ts';
import { RetentionRunner } from '../../../application/backups/retention-runner.ts';
import { SnapshotVerifyRunner } from '../../../application/backups/snapshot-verify-runner.ts';
import type { PartClass } from '../../../application/base/parts.ts';
import { ContainerPatchRunner } from '../../../application/compose/container-patch-runner.ts';
import { ContainerUpdateCheckRunner } from '../../../application/compose/container-update-check-runner.ts';
import { StackCheckRunner } from '../../../application/compose/stack-check-runner.ts';
import { StackRunner } from '../../../application/compose/stack-runner.ts';
import { TemplateDeployRunner } from '../../../application/compose/template-deploy-runner.ts';
import { HostRebootRunner } from '../../../application/fleet/host-reboot-runner.ts';
import { OsPatchRunner } from '../../../application/fleet/os-patch-runner.ts';
import { OsUpdateCheckRunner } from '../../../application/fleet/os-update-check-runner.ts';
import type { JobRunner } from '../../../application/jobs/runner.ts';

/** The parts that run jobs. */
export const RUNNERS: readonly PartClass<JobRunner>[] = [
  BackupRunner,
  RetentionRunner,
  RestoreRunner,
  DumpRestoreRunner,
  SnapshotVerifyRunner,
  OsUpdateCheckRunner,
  OsPatchRunner,
  HostRebootRunner,
  ContainerUpdateCheckRunner,
  ContainerPatchRunner,
  StackCheckRunner,
  StackRunner,
  TemplateDeployRunner,
];
