import { createChildren } from './children.mjs';
import { EndRequested, watchForEnd } from './ending.mjs';
import { messageOf } from './error-facts.mjs';
import { ensureLocal, logs } from '../build/project.mjs';

/**
 * Runs work that starts other programs, and ends them with it.
 * @param {(children: import('./children.mjs').Children) => Promise<number | void>} work
 * @returns {Promise<number>} the exit code: what the work returned, 130 when it was told to end, 1 when it failed
 */
export async function runTool(work) {
  ensureLocal();
  const end = watchForEnd({
    onAsked: () => undefined,
    onHurry: () => {
      children.hurry();
    },
  });
  const children = createChildren({ logs, onChange: () => undefined, onUnexpectedEnd: end.fail });
  try {
    return (await end.orEnd(work(children))) ?? 0;
  } catch (error) {
    if (error instanceof EndRequested) return 130;
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  } finally {
    children.close();
    await Promise.all(children.all().map((child) => children.stop(child)));
  }
}
