/** How the service's process is known on its machine, whatever container it is in. */
export interface ServiceProcess {
  /** Of the kernel. */
  readonly bootId: string;
  /** As the process itself sees it. */
  readonly pid: number;
  /** When it started, in ticks since the boot. */
  readonly tick: number;
}
