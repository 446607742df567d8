/** What other people's newest tools ask for. */
export const NEWER_NODE = '22.19';

/**
 * A Node that runs tools which this one may be too old for: this one, or the one that the smoke test is given. That one
 * is taken at its word.
 *
 * @returns {string | undefined} path of the program
 */
export function newerNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = NEWER_NODE.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return process.execPath;
  return process.env['DROVER_SMOKE_NODE'] || undefined;
}
