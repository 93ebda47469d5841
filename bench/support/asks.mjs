import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { v8Flags } from '../../scripts/processes/app-processes.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @typedef {<T = unknown>(name: string, argument?: unknown) => Promise<T>} Ask asks a process that answers */
/** @typedef {{ resolve: (value: never) => void, reject: (error: Error) => void }} Asked */

/**
 * Runs in a process of the bench's own: answers what its parent asks, with the function of that name.
 * @param {Record<string, (argument: never) => unknown>} functions
 */
export function answerAsks(functions) {
  /** @param {{ ask: number, name: string, argument: never }} question */
  const answer = async ({ ask, name, argument }) => {
    try {
      process.send?.({ ask, value: await functions[name]?.(argument) });
    } catch (error) {
      process.send?.({ ask, failure: error instanceof Error ? error.stack : String(error) });
    }
  };
  process.on('message', (question) => {
    void answer(/** @type {{ ask: number, name: string, argument: never }} */ (question));
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.('ready');
}

/**
 * Starts such a process from a file in this folder.
 * @param {Children} children
 * @param {string} file
 * @returns {Promise<Ask>} asks it
 */
export async function startAsked(children, file) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = children.startApp(file, [...v8Flags, path], {
    NODE_ENV: 'production',
    PATH: process.env.PATH,
  });
  await once(child.process, 'message');
  /** @type {Map<number, Asked>} */
  const open = new Map();
  child.process.on('message', (message) => {
    const { ask, value, failure } = /** @type {{ ask: number, value: never, failure?: string }} */ (message);
    const asked = open.get(ask);
    open.delete(ask);
    if (failure === undefined) asked?.resolve(value);
    else asked?.reject(new Error(`${file}: ${failure}`));
  });
  let asked = 0;
  return (name, argument) =>
    new Promise((resolve, reject) => {
      asked += 1;
      open.set(asked, { resolve, reject });
      child.process.send({ ask: asked, name, argument });
    });
}
