import { ensureBaseRoot } from './base-root.mjs';
import { buildNothing } from './cache.mjs';
import { missingPackages, probeCapabilities } from './capabilities.mjs';
import { ensureDockerLayer } from './docker-layer.mjs';
import { ensureFamilyLayers } from './family-layers.mjs';
import { ensureMariaDbLayer } from './image-layers.mjs';
import { ensureMcpTools } from './mcp-tools.mjs';
import { ensurePodmanLayer } from './podman-layer.mjs';
import { capture, findProgram } from './programs.mjs';
import { ensureReleasePackages } from './releases.mjs';

const APT = ['-q', '-o', 'DPkg::Lock::Timeout=300'];

/**
 * The tests' capabilities on this machine as it is: nothing is installed or created.
 *
 * @returns {Promise<import('./capabilities.mjs').Capabilities>}
 */
export async function presentCapabilities() {
  buildNothing();
  return capabilitiesWithFiles();
}

/**
 * Provides what the tests need, if possible (root, on Debian): packages, and the root file system of the test hosts.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<import('./capabilities.mjs').Capabilities>}
 */
export async function provision(say) {
  const root = process.getuid?.() === 0;
  const missing = missingPackages();
  if (root && missing.length > 0 && findProgram('apt-get')) {
    say(`installing with apt: ${missing.join(' ')}`);
    const aptFault = await installPackages(missing);
    if (aptFault) say(aptFault);
  }
  // Tests that need them report that they are missing.
  await ensureReleasePackages().catch((error) => {
    say(`the packages of earlier releases could not be installed: ${error.message}`);
  });
  return capabilitiesWithFiles();
}

/** The capabilities of the machine's programs, without those whose files neither exist nor can be created. */
async function capabilitiesWithFiles() {
  const found = await probeCapabilities();
  if (found.mcpTools !== true) {
    found.mcpTools = await ensureMcpTools().then(
      () => true,
      (error) => `the checks of test/mcp-tools could not be installed: ${error.message}`,
    );
  }
  if (found.fleet === true) {
    found.fleet = await ensureBaseRoot().then(
      () => true,
      (error) => `the hosts' root file system could not be made: ${error.message}`,
    );
  }
  if (found.fleet === true) {
    found.families = await ensureFamilyLayers().then(
      () => true,
      (error) => `the package managers of other families could not be fetched: ${error.message}`,
    );
  }
  if (found.fleet !== true) found.docker = found.fleet;
  if (found.docker === true) {
    found.docker = await ensureDockerLayer()
      .then(ensureMariaDbLayer)
      .then(
        () => true,
        (error) => `docker for the hosts could not be installed: ${error.message}`,
      );
  }
  if (found.docker !== true) found.podman = found.docker;
  if (found.podman === true) {
    found.podman = await ensurePodmanLayer().then(
      () => true,
      (error) => `podman for the hosts could not be installed: ${error.message}`,
    );
  }
  return found;
}

/**
 * @param {string[]} packages
 * @returns {Promise<string>} what went wrong, empty when nothing did
 */
async function installPackages(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await capture('apt-get', [...APT, 'update'], { env });
  const install = [...APT, '-y', '--no-install-recommends', 'install', ...packages];
  const { code, output } = await capture('apt-get', install, { env });
  return code === 0 ? '' : `apt-get install failed (${code}):\n${output.slice(-2000).trim()}`;
}
