import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { Findings } from './findings.ts';
import { isDirectory, type ManifestEntry } from './manifest-entry.ts';
import { TargetCheck } from './target-check.ts';

const BATCH_ENTRIES = 500;
const BATCH_BYTES = 1024 * 1024 * 1024;
const MAX_DIFFERING = 10;

export interface Compared {
  /** Everything but directories. */
  readonly files: number;
  readonly bytes: number;
  readonly findings: Findings;
  /** The first ones with a fault. */
  readonly differing: readonly ManifestEntry[];
}

/** Compares restored files below a directory of a host with the manifest. */
export async function compareRestored(
  order: {
    readonly host: RemoteHost;
    readonly directory: string;
    readonly signal: AbortSignal;
    /** Also the permissions. */
    readonly withModes?: boolean;
    readonly onBytes?: (bytes: number) => void;
  },
  entries: AsyncIterable<ManifestEntry> | Iterable<ManifestEntry>,
): Promise<Compared> {
  const { host, directory, signal, withModes = false } = order;
  const check = new TargetCheck(host, directory, signal, withModes);
  const findings = new Findings();
  const differing: ManifestEntry[] = [];
  let files = 0;
  let bytes = 0;
  for await (const batch of batchesOf(entries)) {
    for (const [entry, fault] of await check.faults(batch)) {
      if (differing.length < MAX_DIFFERING) differing.push(entry);
      findings.add(entry.path, fault);
    }
    files += batch.filter((entry) => !isDirectory(entry)).length;
    bytes += batch.reduce((sum, { size }) => sum + size, 0);
    order.onBytes?.(bytes);
  }
  return { files, bytes, findings, differing };
}

/** So many that a command takes them, and not more than can be read in a while. */
export async function* batchesOf<T extends { readonly size: number }>(
  entries: AsyncIterable<T> | Iterable<T>,
  maxEntries = BATCH_ENTRIES,
): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for await (const entry of entries) {
    batch.push(entry);
    bytes += entry.size;
    if (batch.length < maxEntries && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
