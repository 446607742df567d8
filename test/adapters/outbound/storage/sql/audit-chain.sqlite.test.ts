import { sqliteDatabase } from '../../../../support/databases.ts';
import { auditChainTests } from './audit-chain.ts';

auditChainTests(sqliteDatabase);
