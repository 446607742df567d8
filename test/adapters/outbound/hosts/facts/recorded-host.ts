import { readFileSync } from 'node:fs';
import {
  readSections,
  type Section,
  type Sections,
} from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';

export const RECORDINGS = [
  'debian-12-systemd',
  'busybox',
  'fedora-dnf4',
  'fedora-dnf4-cold',
  'fedora-dnf5',
  'fedora-dnf5-cold',
  'suse-zypper',
  'suse-zypper-cold',
  'arch-pacman',
  'arch-pacman-cold',
  'docker',
  'podman',
  'engines-denied',
] as const;
export type Recording = (typeof RECORDINGS)[number];

/** Every recording was made with this mark. */
export const RECORDED_MARK = '0123456789abcdef0123456789abcdef';

export const recordedText = (name: Recording | 'apk-version'): string =>
  readFileSync(new URL(`recordings/${name}.txt`, import.meta.url), 'utf8');

export const recordedSections = (name: Recording): Sections =>
  readSections(recordedText(name), RECORDED_MARK);

/** Sections that a host might have printed; each ends well unless it says otherwise. */
export const sectionsOf = (sections: Readonly<Record<string, string | Section>>): Sections =>
  new Map(
    Object.entries(sections).map(([name, section]) => [
      name,
      typeof section === 'string' ? { text: section, exitCode: 0 } : section,
    ]),
  );
