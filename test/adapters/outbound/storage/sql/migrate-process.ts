import { openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../../../../../src/adapters/outbound/storage/sql/migrate.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';

/** A starting replica: brings the database (address, data directory) up to date and prints its log. */
const [url = '', dataDir = ''] = process.argv.slice(2);
const database = openDatabase({ url: url || null, dataDir });
const log = new RecordingLogger();
await migrate(database, { owner: `process-${process.pid}`, log });
console.log(log.messages('info').join('\n'));
await database.close();
