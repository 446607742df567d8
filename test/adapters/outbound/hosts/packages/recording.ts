import { readFileSync } from 'node:fs';
import {
  readSections,
  type Sections,
} from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';

export const recording = (name: string): string =>
  readFileSync(new URL(`recordings/${name}.txt`, import.meta.url), 'utf8');

/** Every recording was made with this mark. */
export const RECORDED_MARK = '0123456789abcdef0123456789abcdef';

export const recordedSections = (name: string): Sections => readSections(recording(name), RECORDED_MARK);
