import type { GaugeMoments, Gauges, ServerGauges } from '../../../domain/fleet/gauges.ts';

/** Figures for monitoring, from the database alone. Removed servers are not counted. */
export interface GaugeSource {
  /**
   * Each figure is correct when it is read, though not all are read at the same moment. The cost hardly depends on
   * the number of past jobs. Throws `database_unavailable`.
   */
  read(moments: GaugeMoments): Promise<Gauges>;
  /** Every server, by id; `null` if there are more than `most`: a partial list would look like a complete one. */
  readServers(most: number): Promise<readonly ServerGauges[] | null>;
}
