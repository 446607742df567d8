import { allStoreContracts } from '../adapters/sql/all-stores.ts';
import { inMemoryStores } from '../support/in-memory-stores.ts';

allStoreContracts('in memory', inMemoryStores);
