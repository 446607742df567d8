import type { ServerFacts } from '../../../../../domain/fleet/server.ts';
import { columns, flag, hostWritten, int, orNull, type Row } from './columns.ts';

export const FACTS = columns({
  osType: orNull(hostWritten),
  osId: orNull(hostWritten),
  osVersion: orNull(hostWritten),
  osPretty: orNull(hostWritten),
  arch: orNull(hostWritten),
  hardware: orNull(hostWritten),
  cpuCores: orNull(int),
  cpuLoad: orNull(int),
  memoryTotalBytes: orNull(int),
  memoryUsedBytes: orNull(int),
  diskTotalBytes: orNull(int),
  diskUsedBytes: orNull(int),
  containerCount: orNull(int),
  lastSeenAt: orNull(int),
  osUpdatesCount: orNull(int),
  securityUpdatesCount: orNull(int),
  containerUpdatesCount: orNull(int),
  rebootPending: orNull(flag),
  lastOsCheckAt: orNull(int),
  lastContainerCheckAt: orNull(int),
  inventoryAt: orNull(int),
  lastBackupAt: orNull(int),
  lastVerifiedAt: orNull(int),
  contactFailedSince: orNull(int),
  contactError: orNull(hostWritten),
  diskFullAt: orNull(int),
  diskFullMount: orNull(hostWritten),
  onOwnMachine: orNull(flag),
  supportEndsAt: orNull(int),
});

export type FactsRow = Row<typeof FACTS>;

/** The columns of the given facts, for an update; empty if there are none. */
export const factsColumns = (facts: Partial<ServerFacts>): Partial<FactsRow> => FACTS.write(facts);
