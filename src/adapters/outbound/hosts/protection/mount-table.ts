/** A mount, from a line of /proc/self/mountinfo (see proc(5)). Texts hold one byte per character. */
export interface Mount {
  readonly id: number;
  /** `major:minor` of the file system. */
  readonly device: string;
  /** The mounted directory (or file) of the file system. */
  readonly root: string;
  /** The mount point. */
  readonly point: string;
  readonly type: string;
}

/** A file or directory by its file system and the path in that, the same through whatever mount it is seen. */
export interface Location {
  readonly device: string;
  readonly path: string;
}

export function parseMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [id, , device, root, point, ...rest] = line.split(' ');
    const type = rest[rest.indexOf('-') + 1];
    if (root === undefined || point === undefined || device === undefined || type === undefined) return [];
    return [{ id: Number(id), device, root: unescaped(root), point: unescaped(point), type }];
  });
}

/** Blanks, tabs, line breaks and backslashes come as three octal digits. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** The place of a path without links; `null` if no mount has it. */
export function locate(mounts: readonly Mount[], path: string): Location | null {
  let found: Mount | null = null;
  // of mounts at the same point the last one hides the others
  for (const mount of mounts) {
    if (isAtOrBelow(path, mount.point) && mount.point.length >= (found?.point.length ?? 0)) found = mount;
  }
  return found && { device: found.device, path: joined(found.root, below(path, found.point)) };
}

/** All paths at which a place is visible, or a part of it that is mounted elsewhere. */
export function viewsOf(mounts: readonly Mount[], place: Location): readonly string[] {
  return mounts.flatMap((mount) => {
    if (mount.device !== place.device) return [];
    if (isAtOrBelow(mount.root, place.path)) return [mount.point];
    return isAtOrBelow(place.path, mount.root) ? [joined(mount.point, below(place.path, mount.root))] : [];
  });
}

/** Whether all of a mount is part of a place. */
export const isPartOf = (mount: Mount, place: Location): boolean =>
  mount.device === place.device && isAtOrBelow(mount.root, place.path);

export const isAtOrBelow = (path: string, directory: string): boolean =>
  path === directory || directory === '/' || path.startsWith(`${directory}/`);

/** Empty, or with a leading slash. */
const below = (path: string, directory: string): string =>
  directory === '/' ? (path === '/' ? '' : path) : path.slice(directory.length);

const joined = (directory: string, rest: string): string =>
  directory === '/' ? rest || '/' : `${directory}${rest}`;
