import { constants } from 'node:fs';
import { mkdir, open, opendir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInput } from '../../../domain/base/errors.ts';
import {
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_TEMPLATE_BYTES,
  type RawTemplate,
  type TemplateContent,
  type TemplateFile,
} from '../../../domain/compose/template.ts';
import { TemplatePath } from '../../../domain/compose/template-path.ts';
import { MANIFEST, manifestOf, manifestText } from '../api/template-manifest.ts';
import { UsageError } from './errors.ts';

/** Files in folders that belong to no template. */
const IGNORED = new Set(['.git', '.DS_Store', 'Thumbs.db']);
const DEEPEST = 8;

export interface TemplateFolder {
  readonly manifest: RawTemplate;
  readonly files: readonly TemplateFile[];
}

/** Reads a folder; follows no link, opens only files, and reads no more than a template may contain. */
export async function readTemplateFolder(directory: string): Promise<TemplateFolder> {
  const paths: string[] = [];
  await collect(directory, '', paths).catch((error: unknown) => {
    if (error instanceof InvalidInput) throw error;
    throw new UsageError(`cannot read the folder ${directory} (${(error as NodeJS.ErrnoException).code}).`);
  });
  const files: TemplateFile[] = [];
  let left = MAX_TEMPLATE_BYTES + MAX_FILE_BYTES;
  for (const path of paths.toSorted()) {
    const content = await readText(directory, path, Math.min(left, MAX_FILE_BYTES));
    left -= content.length;
    files.push({ path, content });
  }
  const manifest = files.find(({ path }) => path === MANIFEST);
  if (!manifest) throw fault(MANIFEST, `There is no ${MANIFEST} in ${directory}.`);
  return { manifest: manifestOf(manifest.content), files: files.filter((each) => each !== manifest) };
}

async function collect(directory: string, inside: string, paths: string[]): Promise<void> {
  if (inside.split('/').length > DEEPEST) throw fault(inside, `It is more than ${DEEPEST} folders deep.`);
  for await (const entry of await opendir(join(directory, inside))) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (IGNORED.has(entry.name)) continue;
    if (entry.isDirectory()) await collect(directory, path, paths);
    else if (entry.isFile()) paths.push(path);
    else throw fault(path, 'It is a link or a special file; a template can contain only regular files.');
    if (paths.length > MAX_FILES + 1) throw fault('', `A template has at most ${MAX_FILES} files.`);
  }
}

async function readText(directory: string, path: string, most: number): Promise<string> {
  const file = await open(join(directory, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    if (size > most) throw fault(path, `It is larger than ${most} bytes.`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw fault(path, 'It is not UTF-8 text.');
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes a template into a new or empty folder. */
export async function writeTemplateFolder(directory: string, template: TemplateContent): Promise<void> {
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) {
    throw new UsageError(`${directory} is not empty; name a new folder.`);
  }
  for (const { path, content } of [{ path: MANIFEST, content: manifestText(template) }, ...template.files]) {
    // It was checked when it was imported, and the database is not the place to say where files are written.
    TemplatePath.parse(path);
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content, { flag: 'wx' });
  }
}

const fault = (path: string, message: string): InvalidInput =>
  new InvalidInput([{ path: `/${path}`, message }]);
