import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeArguments } from '../app-processes.mjs';
import { rpc } from '../json-rpc.mjs';

/** Devnet, whose genesis hash the cluster answers. */
export const SOLANA_CHAIN_ID = 8_000_000_000_103;
const START_MS = 30_000;

/**
 * Starts the local Solana cluster, which forgets its state when it ends.
 * @param {{ children: ReturnType<import('../children.mjs').createChildren>, port: number }} options
 * @returns {Promise<string>} its RPC URL
 */
export async function startSolanaCluster({ children, port }) {
  const program = join(import.meta.dirname, 'cluster-process.mjs');
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = children.startApp('solana', [...nodeArguments, program], env);
  const rpcUrl = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_MS;
  let hasEnded = false;
  void child.ended.then(() => (hasEnded = true));
  for (;;) {
    try {
      await rpc(rpcUrl, 'getHealth');
      return rpcUrl;
    } catch (error) {
      if (hasEnded || error.cause?.code !== 'ECONNREFUSED') throw error;
      if (Date.now() > deadline)
        throw new Error(`The Solana cluster does not answer after ${START_MS / 1000} s`, { cause: error });
    }
    await sleep(50);
  }
}
