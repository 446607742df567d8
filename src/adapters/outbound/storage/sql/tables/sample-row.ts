import { z } from 'zod';
import type { Sample, SampledDisk } from '../../../../../domain/fleet/sample.ts';
import { type Column, columns, int, named, orNull, type Row } from './columns.ts';
import { hostText } from './host-text.ts';
import { fromJson } from './json.ts';

const Disks = z.array(z.tuple([z.string(), z.number(), z.number()]));

/** Each as a list, since a row says it for every hour. */
const disks: Column<readonly SampledDisk[], string> = {
  read: (raw) =>
    fromJson(Disks, hostText(raw)).map(([mount, usedBytes, totalBytes]) => ({
      mount,
      usedBytes,
      totalBytes,
    })),
  write: (value) =>
    JSON.stringify(value.map(({ mount, usedBytes, totalBytes }) => [mount, usedBytes, totalBytes])),
};

const SAMPLE = columns({
  at: int,
  load: named('cpu_load', int),
  memoryTotalBytes: int,
  memoryUsedBytes: int,
  disks,
  updates: named('os_updates', orNull(int)),
  securityUpdates: orNull(int),
  containers: orNull(int),
});

export type SampleRow = Row<typeof SAMPLE>;
export const SAMPLE_COLUMNS = SAMPLE.names;
export const toSample = (row: SampleRow): Sample => SAMPLE.read(row);
export const sampleColumns = (sample: Sample): object => SAMPLE.write(sample);
