/** How the service's process is known on its machine, whatever container it is in. */
export interface ServiceProcess {
  readonly bootId: string;
  /** As the process itself sees it. */
  readonly pid: number;
  /** Its start, in ticks since boot. */
  readonly tick: number;
}
