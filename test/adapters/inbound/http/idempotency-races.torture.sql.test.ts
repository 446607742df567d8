import { describeWith } from '../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../support/databases.ts';
import { idempotencyRaces } from './idempotency-races.ts';

describeWith('mariadb', 'requests', () => idempotencyRaces('MariaDB', mariaDbDatabase));
