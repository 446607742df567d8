import { randomBytes } from 'node:crypto';
import { link, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, isErrno, makeDirectory, openToRead } from './store-directory.ts';

export interface StoreIdentity {
  /** A file in the store … */
  readonly file: string;
  /** … and its one line. */
  readonly content: string;
}

/**
 * A random name of the store, in a file there. A host that has it under the same path is the machine with the store,
 * whatever its name, and must not back it up into itself.
 */
export async function storeIdentity(root: string): Promise<StoreIdentity> {
  const file = join(root, 'store-id');
  const known = await contentOf(file);
  if (known !== null) return { file, content: known };
  await makeDirectory(root);
  const content = randomBytes(16).toString('hex');
  const draft = `${file}.${content}`;
  const made = await createFile(draft);
  try {
    await made.writeFile(`${content}\n`);
    await made.sync();
  } finally {
    await made.close();
  }
  // the first writer names it
  await link(draft, file).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
  });
  await unlink(draft);
  return { file, content: (await contentOf(file)) ?? content };
}

async function contentOf(file: string): Promise<string | null> {
  const opened = await openToRead(file).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  });
  if (!opened) return null;
  try {
    return (await opened.readFile('utf8')).trim();
  } finally {
    await opened.close();
  }
}
