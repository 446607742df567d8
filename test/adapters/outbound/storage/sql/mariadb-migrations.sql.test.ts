import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';
import { migrationsContract } from './migrations-contract.ts';

describeWith('mariadb', 'MariaDB', () => migrationsContract('MariaDB', mariaDbDatabase));
