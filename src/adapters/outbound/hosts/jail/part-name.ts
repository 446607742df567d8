/**
 * Files in progress are named `.drover-BOOT.NAMESPACE.PID.START.RANDOM.part`: the kernel's boot, the process
 * namespace, and in it the writing process (with the clock tick of its start, field 22 of /proc/PID/stat), then 32
 * random hex digits. So it is possible to tell whether the writer is alive. No other program uses such names.
 */
const PART_NAME =
  /^\.drover-(?<writer>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.\d+\.\d+\.\d+)\.[0-9a-f]{32}\.part$/;

export const partName = (writer: string, random: string): string => `.drover-${writer}.${random}.part`;

/** The process that writes or wrote a file of this name; `null` for a name of another kind. */
export const writerOf = (name: string): string | null => PART_NAME.exec(name)?.groups?.['writer'] ?? null;

/**
 * After this long without a change its writer counts as dead even if that cannot be checked (another machine, an
 * undetected dead connection). A write without data for a minute is given up.
 */
export const ABANDONED_MS = 10 * 60_000;
