/**
 * Files that are being written are called `.drover-BOOT.NAMESPACE.PID.START.RANDOM.part`: the kernel's boot, the process
 * namespace, and in it the process that writes (with the clock tick of its start, field 22 of /proc/PID/stat), then 32
 * random hex digits. So whoever finds one can tell whether its writer still lives. No file of anybody else is called so.
 */
const PART_NAME =
  /^\.drover-(?<writer>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.\d+\.\d+\.\d+)\.[0-9a-f]{32}\.part$/;

export const partName = (writer: string, random: string): string => `.drover-${writer}.${random}.part`;

/** The process that writes or wrote a file of this name; `null` for a name of another kind. */
export const writerOf = (name: string): string | null => PART_NAME.exec(name)?.groups?.['writer'] ?? null;

/**
 * After so long without a change its writer counts as gone even where that cannot be seen (another machine, a connection
 * that nobody has noticed to be dead). A write that gets no data for a minute is given up.
 */
export const ABANDONED_MS = 10 * 60_000;
