import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from './programs.mjs';

/** How long ending processes may take, in milliseconds. */
const GRACE_MS = 3000;
/** Caches that tools keep in the temporary directory; they are not the tests'. */
const TOOL_CACHES = /^(tsx-\d+|node-compile-cache|v8-compile-cache.*)$/;

/**
 * @typedef {object} Surroundings
 * @property {string[]} mounts
 * @property {string[]} links network interfaces
 * @property {string[]} files in the directories that tests may use
 */

/**
 * @param {readonly string[]} dirs
 * @param {boolean} alone whether mounts and interfaces are this run's: others come and go for other reasons
 * @returns {Promise<Surroundings>}
 */
export async function look(dirs, alone) {
  const files = dirs.flatMap((dir) => readdirSync(dir).map((name) => `${dir}/${name}`));
  if (!alone) return { mounts: [], links: [], files };
  const mountInfo = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  const { stdout } = await capture('ip', ['-o', 'link']);
  return {
    mounts: mountInfo.map((line) => line.split(' ')[4] ?? ''),
    links: stdout.split('\n').map((line) => line.split(': ')[1] ?? ''),
    files,
  };
}

/**
 * What is new compared to before, in words; empty if the tests cleaned up after themselves.
 *
 * @param {Surroundings} before
 * @param {() => Promise<Surroundings>} lookAgain
 * @param {() => string[]} processes those that should have ended
 */
export async function leftOvers(before, lookAgain, processes) {
  for (const end = Date.now() + GRACE_MS; processes().length > 0 && Date.now() < end; ) await sleep(50);
  const after = await lookAgain();
  return [
    ...processes().map((line) => `process ${line}`),
    ...added(before.mounts, after.mounts).map((path) => `mount ${path}`),
    ...added(before.links, after.links).map((name) => `network interface ${name}`),
    ...added(before.files, after.files)
      .filter((path) => !TOOL_CACHES.test(path.slice(path.lastIndexOf('/') + 1)))
      .map((path) => `file ${path}`),
  ];
}

/** All processes of this pid namespace but its first and this one. */
export function allOtherProcesses() {
  return livingProcesses()
    .filter(({ pid }) => pid !== 1 && pid !== process.pid)
    .map(describe);
}

/**
 * Those that carry the mark in their environment, this one excepted.
 *
 * @param {string} mark `NAME=value`
 */
export function markedProcesses(mark) {
  const isMarked = (/** @type {number} */ pid) => `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${mark}\0`);
  return livingProcesses()
    .filter(({ pid }) => pid !== process.pid && isMarked(pid))
    .map(describe);
}

function livingProcesses() {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({
        pid: Number(name),
        command: read(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim(),
      }))
      // A process without a command line is a zombie (or the kernel's own).
      .filter(({ command }) => command !== '')
  );
}

/** @param {{ pid: number, command: string }} found */
function describe({ pid, command }) {
  return `${pid}: ${command.slice(0, 200)}`;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Counts, so that a second mount on the same place is noticed.
 *
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
function added(before, after) {
  const known = [...before];
  return after.filter((item) => {
    const place = known.indexOf(item);
    if (place >= 0) known.splice(place, 1);
    return place < 0;
  });
}
