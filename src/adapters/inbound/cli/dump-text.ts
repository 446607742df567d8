import { DUMP_RULES, type Dump } from '../../../domain/backups/dump.ts';
import { table } from './table.ts';

/** The dumps of a source as a table. */
export const dumpTable = (dumps: readonly Dump[]): string =>
  table(
    ['NAME', 'KIND', 'DATABASE', 'CLIENT', 'USER', 'SERVER'],
    dumps.map((dump) => [
      dump.name,
      DUMP_RULES[dump.kind].label,
      dump.database ?? 'all',
      dump.container === null ? 'host' : `${dump.client} ${dump.container}`,
      `${dump.user ?? ''}${dump.hasPassword ? ' (password)' : ''}`.trim(),
      `${dump.host ?? 'local'}${dump.port === null ? '' : ` port ${dump.port}`}`,
    ]),
  );
