import type { Core } from '../src/adapters/bootstrap/core.ts';
import { visibleText } from '../src/domain/base/visible-text.ts';
import { MAX_PACKAGE_TEXT, systemOf } from '../src/domain/fleet/installed-package.ts';
import { FILES } from './files.ts';

const BACKUP_DISK = { filesystem: 'ext4', totalBytes: 1024 ** 4, usedBytes: 1024 ** 3 };

/**
 * Writes the texts into what servers report: each gets four in its hardware, one in its host name, a mount point and the name of
 * an installed package, one in the image and status of each container, and in the description of each failed unit.
 */
export async function plant({ parts }: Core, texts: readonly string[]): Promise<void> {
  let next = 0;
  const text = (): string => visibleText(texts[next++ % texts.length] ?? '');
  const { items } = await parts.servers.list({}, { limit: 100, offset: 0 });
  for (const { id } of items) {
    const inventory = await parts.inventories.find(id);
    if (inventory === null) continue;
    const { containers, disks, failedUnits } = inventory;
    const hardware = [text(), text(), text(), text()].join(' ');
    const changed = {
      ...inventory,
      hardware,
      hostname: text(),
      disks: [...disks, { ...BACKUP_DISK, mount: `/mnt/${text()}` }],
      containers:
        containers?.map((each) => ({
          ...each,
          image: `${each.image} ${text()}`,
          status: `${each.status} ${text()}`,
        })) ?? null,
      failedUnits:
        failedUnits?.map(({ name, description }) => ({ name, description: `${description} ${text()}` })) ??
        null,
    };
    await parts.inventories.save(id, changed, { hardware });
    const name = text().replaceAll(' ', '_').slice(0, MAX_PACKAGE_TEXT);
    const planted = { name, version: '1.0', source: name, sourceVersion: '1.0' };
    await parts.packages.save(id, systemOf(inventory.osId, inventory.osVersion), [planted]);
  }
}

/** Files that tasks only read. */
const READ = ['README.txt', 'wiki/compose.yaml'];

/** The files with texts in them, and one in each directory that consists of all texts. */
export function plantedFiles(texts: readonly string[]): Readonly<Record<string, string>> {
  const all = texts.map((text) => `# ${text}\n`);
  const files = Object.entries(FILES).map(([path, content], index) => {
    const some = all.filter((_, at) => at % READ.length === index % READ.length);
    return [path, READ.includes(path) ? content + some.join('') : content] as const;
  });
  return Object.fromEntries([...files, ['app/NOTES.md', all.join('')], ['wiki/NOTES.md', all.join('')]]);
}
