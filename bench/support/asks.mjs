import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { v8Flags } from '../../scripts/local/app-processes.mjs';

/** In a process of the bench's own: answers what its parent asks, with the function of that name. */
export function answerAsks(functions) {
  process.on('message', async ({ ask, name, argument }) => {
    try {
      process.send({ ask, value: await functions[name](argument) });
    } catch (error) {
      process.send({ ask, failure: error.stack });
    }
  });
  process.once('disconnect', () => process.exit(0));
  process.send('ready');
}

/**
 * Starts such a process from a file in this folder.
 * @returns {Promise<(name: string, argument?: unknown) => Promise<unknown>>} asks it
 */
export async function startAsked(children, file) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = children.startApp(file, [...v8Flags, path], {
    NODE_ENV: 'production',
    PATH: process.env.PATH,
  });
  await once(child.process, 'message');
  const open = new Map();
  child.process.on('message', ({ ask, value, failure }) => {
    const { resolve, reject } = open.get(ask);
    open.delete(ask);
    if (failure === undefined) resolve(value);
    else reject(new Error(`${file}: ${failure}`));
  });
  let asked = 0;
  return (name, argument) =>
    new Promise((resolve, reject) => {
      asked += 1;
      open.set(asked, { resolve, reject });
      child.process.send({ ask: asked, name, argument });
    });
}
