const MAIN = new URL('../../dist/adapters/bootstrap/main.js', import.meta.url).href;
const ADAPTER = new URL('../../dist/adapters/bootstrap/adapter-main.js', import.meta.url).href;

/**
 * Runs the built program in this process and sets its exit code.
 *
 * @param {() => Promise<void>} prepare
 * @param {string[]} args what follows the program's name on the command line
 */
export async function runDrover(prepare, args) {
  if (await isReady(prepare)) process.exitCode = await (await import(MAIN)).main(args);
}

/**
 * The same for the stdio adapter. It exits when it is done: unread output would keep the process alive.
 *
 * @param {() => Promise<void>} prepare
 * @param {string[]} args
 */
export async function runAdapter(prepare, args) {
  if (await isReady(prepare)) process.exit(await (await import(ADAPTER)).main(args));
}

/** @param {() => Promise<void>} prepare */
async function isReady(prepare) {
  try {
    await prepare();
    return true;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return false;
  }
}
