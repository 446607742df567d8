import type {
  SelectedServer,
  ServerSelection,
} from '../../../../../application/ports/fleet/server-selection.ts';
import { type HostSelector, selects } from '../../../../../domain/fleet/host-selector.ts';
import { SqlStore } from '../database.ts';
import { fromJson, Strings } from '../tables/columns.ts';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly tags: string;
  readonly feature_backup: number;
  readonly feature_os_patch: number;
  readonly feature_docker: number;
}

export class SqlServerSelection extends SqlStore implements ServerSelection {
  async select(
    selector: HostSelector,
    within: readonly number[] | null,
    limit: number,
  ): Promise<readonly SelectedServer[]> {
    const query = this.database.knex('servers').whereNull('removed_at');
    if (within) query.whereIn('id', within);
    if (selector.by === 'ids') query.whereIn('id', selector.ids);
    if (selector.by === 'tags') {
      // Tags are stored as JSON, and contain no quotes: a quoted tag matches exactly.
      query.where((any) => {
        for (const tag of selector.tags) void any.orWhereRaw('INSTR(tags, ?) > 0', [JSON.stringify(tag)]);
      });
    }
    const rows: Row[] = await query
      .select(['id', 'name', 'tags', 'feature_backup', 'feature_os_patch', 'feature_docker'])
      .orderBy(['name', 'id'])
      .limit(limit);
    const found = rows.map(toSelected);
    return selector.by === 'tags' ? found.filter((server) => selects(selector, server)) : found;
  }
}

const toSelected = (row: Row): SelectedServer => ({
  id: row.id,
  name: row.name,
  tags: fromJson(Strings, row.tags),
  features: {
    backup: row.feature_backup === 1,
    os_patch: row.feature_os_patch === 1,
    docker: row.feature_docker === 1,
  },
});
