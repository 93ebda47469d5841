import { join } from 'node:path';
import { rpc } from '../json-rpc.mjs';

const ENTRY_POINTS = [
  '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
];
const EXECUTORS = 4;
const FUNDS = `0x${(10n ** 21n).toString(16)}`;

/**
 * The command of alto on a local chain, with funded executors of its own.
 * @param {{ folder: string, rpcUrl: string, port: number, more?: string[] }} options `more` are further arguments of alto
 * @returns {Promise<{ args: string[], cwd: string, env: Record<string, string | undefined> }>} of Node; its keys are in no argument
 */
export async function altoCommand({ folder, rpcUrl, port, more = [] }) {
  const { generatePrivateKey, privateKeyToAddress } = await import('viem/accounts');
  const keys = Array.from({ length: EXECUTORS + 1 }, () => generatePrivateKey());
  for (const key of keys) await rpc(rpcUrl, 'anvil_setBalance', [privateKeyToAddress(key), FUNDS]);
  const [utility, ...executors] = keys;
  const args = [
    ...['--import', join(import.meta.dirname, 'loopback.mjs')],
    join(folder, 'node_modules/@pimlico/alto/esm/cli/alto.js'),
    ...['--port', String(port), '--rpc-url', rpcUrl, '--entrypoints', ENTRY_POINTS.join()],
    // The tracer that ERC-7562's rules need is not in anvil.
    ...['--safe-mode', 'false', '--log-level', 'warn', '--json', 'true'],
    ...['--static-max-priority-fee-per-gas', '1', '--utility-wallet-monitor', 'false'],
    ...more,
  ];
  const env = {
    PATH: process.env.PATH,
    ALTO_EXECUTOR_PRIVATE_KEYS: executors.join(),
    ALTO_UTILITY_PRIVATE_KEY: utility,
  };
  return { args, cwd: folder, env };
}
