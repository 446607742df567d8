import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { ROOT } from './ensure.mjs';
import { bundleOptions } from './lib/bundle.mjs';
import { archiveOf, LOCK, RELEASES } from './lib/releases.mjs';

// `npm run keep-release -- former COMMIT` builds that release and stores it in test/releases, for the tests of
// upgrades

/** The files to run: as in the image, with their origin. */
const KEPT = [
  'package.json',
  '.npmrc',
  LOCK,
  'release.json',
  'bin',
  'scripts',
  'dist',
  'src/adapters/inbound/web/static',
];

const [name, commit] = process.argv.slice(2);
if (!RELEASES.some((each) => each === name) || commit === undefined) {
  process.stderr.write(`usage: npm run keep-release -- ${RELEASES.join('|')} COMMIT\n`);
  process.exit(2);
}
const home = mkdtempSync(join(tmpdir(), 'drover-keep-'));
try {
  keep(/** @type {import('./lib/releases.mjs').ReleaseName} */ (name), commit);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/**
 * @param {import('./lib/releases.mjs').ReleaseName} release
 * @param {string} of
 */
function keep(release, of) {
  const [id = '', date = ''] = git(['show', '-s', '--format=%H %cI', of]).toString().trim().split(' ');
  run('tar', ['-x', '-C', home], git(['archive', id]));
  // By the packages of the project: keep a release as soon as it is tagged.
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  const bundler = join(home, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const options = bundleOptions(join(home, 'dist', 'adapters', 'bootstrap'));
  run(
    bundler,
    options.filter((option) => option !== '--sourcemap'),
  );
  renameSync(join(home, 'package-lock.json'), join(home, LOCK));
  writeFileSync(join(home, 'release.json'), `${JSON.stringify({ commit: id, date })}\n`);
  mkdirSync(join(home, 'src/adapters/inbound/web/static'), { recursive: true });
  // The same commit makes the same archive.
  const same = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=go=rX',
    `--mtime=${date}`,
  ];
  const tar = run('tar', ['-c', ...same, ...KEPT]);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  };
  const packed = brotliCompressSync(tar, { params });
  mkdirSync(join(ROOT, 'test', 'releases'), { recursive: true });
  writeFileSync(archiveOf(release), packed);
  process.stdout.write(`${archiveOf(release)}: ${id}, ${packed.length} bytes\n`);
}

/** @param {string[]} args */
function git(args) {
  return execFileSync('git', ['-C', ROOT, ...args], { maxBuffer: 1e9 });
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Buffer} [input]
 */
function run(program, args, input) {
  return execFileSync(program, args, {
    cwd: home,
    maxBuffer: 1e9,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(input ? { input } : {}),
  });
}
