import type { GaugeMoments, Gauges, ServerGauges } from '../../../domain/fleet/gauges.ts';

/** Numbers for whoever watches the service, from the database alone. Servers that were removed are not counted. */
export interface GaugeSource {
  /**
   * Each number is as true as the database when it is read, though not all of them are of the same moment. What it costs
   * hardly depends on how many jobs ever ran. Throws `database_unavailable`.
   */
  read(moments: GaugeMoments): Promise<Gauges>;
  /** Every server, by id; `null` where there are more than `most`: half a list would look like a whole one. */
  readServers(most: number): Promise<readonly ServerGauges[] | null>;
}
