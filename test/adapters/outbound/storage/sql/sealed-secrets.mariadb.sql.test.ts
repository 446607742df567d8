import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';
import { movedExpiriesTests } from './moved-expiries.ts';
import { sealedSecretsTests } from './sealed-secrets.ts';

describeWith('mariadb', 'MariaDB', () => {
  sealedSecretsTests(mariaDbDatabase);
  movedExpiriesTests(mariaDbDatabase);
});
