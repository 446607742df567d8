import type { StoredRepository } from '../../../../../application/ports/backups/repository-store.ts';

export interface RepositoryRow {
  readonly id: number;
  readonly name: string;
  readonly kind: StoredRepository['kind'];
  readonly url: string;
  readonly sealed_secrets: string;
  readonly initialised_at: number | null;
  readonly created_at: number;
}

export const REPOSITORY_COLUMNS = [
  'id',
  'name',
  'kind',
  'url',
  'sealed_secrets',
  'initialised_at',
  'created_at',
] as const satisfies readonly (keyof RepositoryRow)[];

export const toRepository = (row: RepositoryRow): StoredRepository => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  url: row.url,
  sealedSecrets: row.sealed_secrets,
  initialisedAt: row.initialised_at,
  createdAt: row.created_at,
});
