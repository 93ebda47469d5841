import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OUTSIDER } from './demo-accounts.mjs';
import { rpc } from './json-rpc.mjs';
import { writePrivate } from './private-file.mjs';
import { waitForRpc } from './wait-for-rpc.mjs';

export const LOCAL_CHAIN_ID = 31337;
const ANVIL_VERSION = '1.7.1';

/**
 * Starts the local EVM chain and gives it back the state that `keepState` saved.
 * @param {{ children: ReturnType<import('./children.mjs').createChildren>, root: string, local: string, port: number }} options
 * @returns {Promise<{ child: import('./children.mjs').Child, rpcUrl: string, keepState: () => Promise<void> }>}
 */
export async function startAnvil({ children, root, local, port }) {
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(LOCAL_CHAIN_ID)];
  // It signs for the outsider, too.
  args.push('--accounts', String(OUTSIDER + 1));
  const child = children.startGuarded('anvil', {
    command: anvilBinary(root),
    args: [...args, '--hardfork', 'prague', '--quiet', '--cache-path', join(local, 'anvil')],
    cwd: local,
    // Neither stop nor hurry: it has nothing to lose that keepState does not keep, so SIGKILL at once.
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const chainId = Number(await waitForRpc(child, rpcUrl, 'eth_chainId'));
  if (chainId !== LOCAL_CHAIN_ID) throw new Error(`${rpcUrl} is chain ${chainId}, not ${LOCAL_CHAIN_ID}`);
  // It funds whomever it signs for.
  const accounts = await rpc(rpcUrl, 'eth_accounts');
  await rpc(rpcUrl, 'anvil_setBalance', [accounts[OUTSIDER], '0x0']);
  const stateFile = join(local, 'chain-state.hex');
  if (existsSync(stateFile)) await rpc(rpcUrl, 'anvil_loadState', [readFileSync(stateFile, 'utf8')]);
  return {
    child,
    rpcUrl,
    keepState: async () => writePrivate(stateFile, await rpc(rpcUrl, 'anvil_dumpState')),
  };
}

/** The binary itself: npm's wrapper package would be one more process to end. @param {string} root @returns {string} */
export function anvilBinary(root) {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin/anvil');
  } catch (error) {
    const help = `npm install --no-save ${name}@${ANVIL_VERSION}, or name a node: RPC_URL_${LOCAL_CHAIN_ID}=http://…`;
    throw new Error(`No anvil is installed for ${process.platform} ${process.arch}. Either ${help}`, {
      cause: error,
    });
  }
}
