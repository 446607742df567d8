import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';

/** The database's own description of the schema, in an order that does not depend on its history. */
export const dumpSchema = (database: Database): Promise<string> =>
  database.kind === 'sqlite' ? dumpSqlite(database) : dumpMysql(database);

async function dumpSqlite({ knex }: Database): Promise<string> {
  const parts: { sql: string }[] = await knex('sqlite_master')
    .whereNotNull('sql')
    .whereNot('name', 'like', 'sqlite_%')
    .orderBy(['tbl_name', { column: 'type', order: 'desc' }, 'name'])
    .select('sql');
  const inLines = (sql: string): string =>
    sql.startsWith('CREATE TABLE') ? sql.replaceAll(', `', ',\n  `') : sql;
  return parts.map(({ sql }) => `${inLines(sql)};\n`).join('\n');
}

async function dumpMysql({ knex }: Database): Promise<string> {
  const [tables] = (await knex.raw(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  )) as [{ name: string }[]];
  const dumped: string[] = [];
  for (const { name } of tables) {
    const [[row]] = (await knex.raw('SHOW CREATE TABLE ??', [name])) as [[{ 'Create Table': string }]];
    dumped.push(`${sortedKeys(row['Create Table']).replace(/ AUTO_INCREMENT=\d+/, '')};\n`);
  }
  return dumped.join('\n');
}

/** Keys are shown in the order in which they were made. */
function sortedKeys(sql: string): string {
  const lines = sql.split('\n');
  const isKey = (line: string): boolean => /^ {2}((UNIQUE )?KEY|CONSTRAINT) /.test(line);
  const keys = lines
    .filter(isKey)
    .map((line) => line.replace(/,$/, ''))
    .toSorted();
  const first = lines.findIndex(isKey);
  if (first < 0) return sql;
  const others = lines.filter((line) => !isKey(line));
  return [...others.slice(0, first), keys.join(',\n'), ...others.slice(first)].join('\n');
}
