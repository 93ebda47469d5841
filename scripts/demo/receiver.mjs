import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeArguments } from '../processes/app-processes.mjs';

const START_MS = 10_000;

/**
 * Starts the example receiver of callbacks.
 * @param {{ children: import('../processes/children.mjs').Children, root: string, gatewayUrl: string, port: number }} options
 * @returns {Promise<string>} its URL
 */
export async function startReceiver({ children, root, gatewayUrl, port }) {
  const program = join(root, 'docs/examples/receive-callbacks.mjs');
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), GATEWAY_URL: gatewayUrl };
  children.startApp('receiver', [...nodeArguments, program], env);
  const url = `http://127.0.0.1:${port}/`;
  const deadline = Date.now() + START_MS;
  while (!(await answers(url))) {
    if (Date.now() > deadline) throw new Error(`The receiver does not answer at ${url}`);
    await sleep(50);
  }
  return url;
}

/** @param {string} url */
const answers = (url) =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.ok,
    () => false,
  );
