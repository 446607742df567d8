/** The version that third-party tools require. */
export const NEWER_NODE = '22.19';

/**
 * A Node for tools that may not support this one: this one, or the one of the smoke test, without a check.
 *
 * @returns {string | undefined} path of the program
 */
export function newerNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = NEWER_NODE.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return process.execPath;
  return process.env['DROVER_SMOKE_NODE'] || undefined;
}
