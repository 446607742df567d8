import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';
import { endedJobCountsTests } from './ended-job-counts.ts';

describeWith('mariadb', 'ended jobs', () => endedJobCountsTests('MariaDB', mariaDbDatabase));
