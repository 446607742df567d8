import { openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { isDomainError } from '../../../../../src/domain/base/errors.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, newServer, noRecord, type StoresSubject } from '../../../../support/stores-subject.ts';

// One of several processes that compete for the same names. Prints those that it got, by kind.

const [url = '', dataDir = '', me = '', count = '0', startAt = '0'] = process.argv.slice(2);

const RACES: Readonly<Record<string, (stores: StoresSubject, name: string) => Promise<boolean>>> = {
  setting: ({ settings }, name) => settings.setOnce(name, me),
  lease: ({ leases }, name) => leases.hold(name, me, 600_000),
  server: ({ servers }, name) =>
    servers.add(newServer(name), AT, noRecord).then(
      () => true,
      (error: unknown) => {
        if (isDomainError(error, 'name_taken')) return false;
        throw error;
      },
    ),
};

const database = openDatabase({ url: url || null, dataDir });
await database.ping(10_000);
while (Date.now() < Number(startAt));
const won: Record<string, string[]> = { setting: [], lease: [], server: [] };
for (let index = 0; index < Number(count); index += 1) {
  for (const [kind, race] of Object.entries(RACES)) {
    if (await race(sqlStores(database), `name-${index}`)) won[kind]?.push(`name-${index}`);
  }
}
console.log(JSON.stringify(won));
await database.close();
