import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { BackupSource } from '../../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../domain/backups/snapshot.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { createFile, isErrno, openToRead } from './store-directory.ts';
import { isSnapshotName, type SnapshotPlaces, snapshotPlaces } from './store-layout.ts';

const FORMAT = 1;
const MAX_BYTES = 1024 * 1024;
/** More than any policy keeps (`MAX_KEPT` a rule, five rules). */
const MAX_SNAPSHOTS = 100_000;

const whole = z.int().nonnegative();
const Facts = z.strictObject({
  format: z.literal(FORMAT),
  snapshot: z.strictObject({
    serverId: whole,
    sourceId: whole,
    sourceName: z.string(),
    jobId: whole.nullable(),
    engine: z.string(),
    name: z.string().refine(isSnapshotName),
    startedAt: z.int(),
    finishedAt: z.int(),
    fileCount: whole,
    totalBytes: whole,
    transferredBytes: whole,
    vanishedCount: whole,
    manifestSha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  /** The paths on the host that were read, links in them resolved; base64, because they may be no text. */
  roots: z.array(z.base64()),
  /** Whether ACLs and extended attributes were kept. Earlier versions kept none, without recording it. */
  attributes: z.boolean().default(false),
});

export interface SnapshotFacts {
  readonly snapshot: NewSnapshot;
  /** Bytes of absolute paths. */
  readonly roots: readonly Buffer[];
  readonly attributes: boolean;
}

/** Not flushed to disk. */
export async function writeFacts(
  places: SnapshotPlaces,
  { snapshot, roots, attributes }: SnapshotFacts,
): Promise<void> {
  const facts: z.input<typeof Facts> = {
    format: FORMAT,
    snapshot: { ...snapshot },
    roots: roots.map((root) => root.toString('base64')),
    attributes,
  };
  const file = await createFile(places.facts);
  try {
    await file.writeFile(`${JSON.stringify(facts, null, 2)}\n`);
  } finally {
    await file.close();
  }
}

/** A file of JSON beside a snapshot; `null` if there is none, or not from Drover. */
export async function readRecord<T>(path: string, schema: z.ZodType<T>, most: number): Promise<T | null> {
  try {
    const file = await openToRead(path);
    try {
      if ((await file.stat()).size > most) return null;
      return schema.parse(JSON.parse(await file.readFile('utf8')));
    } finally {
      await file.close();
    }
  } catch (error) {
    const isAbsent = isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP');
    if (isAbsent || error instanceof z.ZodError || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function readFacts(places: SnapshotPlaces): Promise<SnapshotFacts | null> {
  const facts = await readRecord(places.facts, Facts, MAX_BYTES);
  if (facts === null) return null;
  const { snapshot, roots, attributes } = facts;
  return { snapshot, roots: roots.map((root) => Buffer.from(root, 'base64')), attributes };
}

/** Throws `snapshot_damaged` for a missing or incomplete snapshot. */
export async function factsOf(places: SnapshotPlaces, name: string): Promise<SnapshotFacts> {
  const facts = await readFacts(places);
  if (facts?.snapshot.name === name) return facts;
  throw new DomainError(
    'snapshot_damaged',
    `Snapshot ${name} is missing from the backup store, or incomplete.`,
  );
}

/** The snapshots of a source that are whole, latest first. Each is read when it is its turn. */
export async function* publishedIn(
  snapshotsDirectory: string,
  { id, serverId }: Pick<BackupSource, 'id' | 'serverId'>,
): AsyncGenerator<SnapshotFacts, undefined, undefined> {
  const names = await readdir(snapshotsDirectory).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  });
  // a name starts with its time
  for (const name of names.filter(isSnapshotName).sort().slice(-MAX_SNAPSHOTS).toReversed()) {
    const facts = await readFacts(snapshotPlaces(join(snapshotsDirectory, name)));
    if (facts?.snapshot.name !== name) continue;
    if (facts.snapshot.serverId === serverId && facts.snapshot.sourceId === id) yield facts;
  }
}

/** All of them, oldest first. */
export async function allPublishedIn(
  ...place: Parameters<typeof publishedIn>
): Promise<readonly NewSnapshot[]> {
  const found: NewSnapshot[] = [];
  for await (const { snapshot } of publishedIn(...place)) found.push(snapshot);
  return found.sort((a, b) => a.startedAt - b.startedAt);
}
