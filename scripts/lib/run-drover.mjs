const MAIN = new URL('../../dist/adapters/bootstrap/main.js', import.meta.url).href;

/**
 * Runs the built program in this process and sets its exit code.
 *
 * @param {() => Promise<void>} prepare
 * @param {string[]} args what follows the program's name on the command line
 */
export async function runDrover(prepare, args) {
  try {
    await prepare();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return;
  }
  const { main } = await import(MAIN);
  process.exitCode = await main(args);
}
