import { sqliteDatabase } from '../../../../support/databases.ts';
import { sealedSecretsTests } from './sealed-secrets.ts';

sealedSecretsTests(sqliteDatabase);
