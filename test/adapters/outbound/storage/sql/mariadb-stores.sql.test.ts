import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';
import { allSqlStoreContracts } from './all-stores.ts';

describeWith('mariadb', 'stores', () => allSqlStoreContracts('MariaDB', mariaDbDatabase));
