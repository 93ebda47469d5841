import { join } from 'node:path';
import { nodeArguments } from '../../processes/app-processes.mjs';
import { waitForRpc } from '../wait-for-rpc.mjs';

/** Devnet, whose genesis hash the cluster answers. */
export const SOLANA_CHAIN_ID = 8_000_000_000_103;

/**
 * Starts the local Solana cluster, which forgets its state when it ends.
 * @param {{ children: import('../../processes/children.mjs').Children, port: number }} options
 * @returns {Promise<string>} its RPC URL
 */
export async function startSolanaCluster({ children, port }) {
  const program = join(import.meta.dirname, 'cluster-process.mjs');
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = children.startApp('solana', [...nodeArguments, program], env);
  const rpcUrl = `http://127.0.0.1:${port}`;
  await waitForRpc(child, rpcUrl, 'getHealth');
  return rpcUrl;
}
