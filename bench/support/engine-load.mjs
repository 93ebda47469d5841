import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @typedef {typeof import('../../libs/chain/src/evm/index.js')} EvmModule */
/** @typedef {Awaited<ReturnType<typeof importChain>>} Chain */
/** @typedef {Partial<ConstructorParameters<EvmModule['EvmReader']>[0]>} ReaderOptions */

/** Reads of the built libs/chain, and readers of one node. @param {string} root */
export async function importChain(root) {
  const chain = /** @type {EvmModule} */ (
    await import(pathToFileURL(join(root, 'dist/libs/chain/src/evm/index.js')).href)
  );
  return {
    ...chain,
    /** @param {string} rpcUrl @param {ReaderOptions} [options] */
    readerOf: (rpcUrl, options = {}) =>
      new chain.EvmReader({
        chains: chain.createChainRegistry({
          custom: [{ id: 31337, multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11' }],
          rpcUrls: new Map([[31337, [rpcUrl]]]),
          publicRpc: false,
          localChainId: 31337,
        }),
        ...options,
      }),
  };
}

/** @returns {`0x${string}`} */
export const freshAccount = () => `0x${randomBytes(20).toString('hex')}`;

/**
 * Runs callers, each of which asks again as soon as it was answered.
 * @param {{ callers: number, times: number, work: () => Promise<readonly { ok: boolean }[]> }} options
 * @returns {Promise<{ milliseconds: number[], cpuMs: number }>} the time of each piece of work, and of this process
 */
export async function runCallers({ callers, times, work }) {
  /** @type {number[]} */
  const milliseconds = [];
  const before = process.cpuUsage();
  const caller = async () => {
    for (let time = 0; time < times; time += 1) {
      const started = performance.now();
      const outcomes = await work();
      milliseconds.push(performance.now() - started);
      if (!outcomes.every(({ ok }) => ok)) throw new Error(JSON.stringify(outcomes.find(({ ok }) => !ok)));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(before);
  return { milliseconds, cpuMs: (user + system) / 1000 };
}
