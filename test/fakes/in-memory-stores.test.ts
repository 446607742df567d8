import { allStoreContracts } from '../adapters/outbound/storage/sql/all-stores.ts';
import { inMemoryStores } from '../support/in-memory-stores.ts';

allStoreContracts('in memory', inMemoryStores);
