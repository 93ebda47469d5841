import { setTimeout as sleep } from 'node:timers/promises';
import { causeOf, codeOf } from '../processes/error-facts.mjs';
import { rpc } from './json-rpc.mjs';

const START_MS = 30_000;

/**
 * Waits until a chain that was just started answers.
 * @param {import('../processes/children.mjs').Child} child
 * @param {string} url
 * @param {string} method a JSON-RPC method without parameters
 * @returns {Promise<string>} its result; throws when the chain ends or does not answer in time
 */
export async function waitForRpc(child, url, method) {
  const deadline = Date.now() + START_MS;
  const end = new AbortController();
  void child.ended.then(() => {
    end.abort();
  });
  for (;;) {
    try {
      return await rpc(url, method);
    } catch (error) {
      if (end.signal.aborted || codeOf(causeOf(error)) !== 'ECONNREFUSED') throw error;
      if (Date.now() > deadline)
        throw new Error(`The ${child.name} chain does not answer after ${START_MS / 1000} s`, {
          cause: error,
        });
    }
    await sleep(50);
  }
}
