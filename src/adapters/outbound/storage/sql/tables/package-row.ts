import type { PackageVersion } from '../../../../../application/ports/fleet/package-store.ts';
import { hostText } from './columns.ts';

export interface VersionRow {
  readonly id: number;
  readonly system: string;
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly source_version: string;
}

export interface VersionCount {
  readonly name: string;
  readonly system: string;
  readonly version: string;
  readonly servers: number | string;
}

export interface HolderRow extends VersionRow {
  readonly server_id: number;
  readonly server_name: string;
}

export const toPackage = (row: VersionRow): Omit<PackageVersion, 'id'> => ({
  system: hostText(row.system),
  name: hostText(row.name),
  version: hostText(row.version),
  source: hostText(row.source),
  sourceVersion: hostText(row.source_version),
});
