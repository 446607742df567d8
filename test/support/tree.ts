import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';

/**
 * All that is below a directory, by path: type, permissions, time of change, and the content's digest or the link's
 * target. Names are bytes, written as Latin-1 characters. `leaveOut` names entries of the directory itself.
 */
export async function treeOf(
  root: string,
  leaveOut: (name: string) => boolean = () => false,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const visit = async (directory: Buffer, prefix: string): Promise<void> => {
    for (const name of await readdir(directory, { encoding: 'buffer' })) {
      const path = `${prefix}${name.toString('latin1')}`;
      if (prefix === '' && leaveOut(path)) continue;
      const place = Buffer.concat([directory, Buffer.from('/'), name]);
      found[path] = await describe(place);
      if ((await lstat(place)).isDirectory()) await visit(place, `${path}/`);
    }
  };
  await visit(Buffer.from(root), '');
  return found;
}

async function describe(place: Buffer): Promise<string> {
  const { mode, mtimeNs, size, uid, gid } = await lstat(place, { bigint: true });
  const attributes = `${(mode & 0o7777n).toString(8)} ${uid}:${gid} ${mtimeNs}`;
  switch (Number(mode & 0o170000n)) {
    case 0o040000:
      return `directory ${attributes}`;
    case 0o120000:
      return `link to ${(await readlink(place, { encoding: 'buffer' })).toString('latin1')}`;
    case 0o100000:
      return `file ${attributes} ${size} ${createHash('sha256')
        .update(await readFile(place))
        .digest('hex')}`;
    default:
      return `special ${attributes}`;
  }
}
