import { describeWith } from '../../support/capabilities.ts';
import { mariaDbDatabase } from '../../support/databases.ts';
import { auditChainTests } from './audit-chain.ts';

describeWith('mariadb', 'MariaDB', () => auditChainTests(mariaDbDatabase));
