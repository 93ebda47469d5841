import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OUTSIDER } from '../demo/demo-accounts.mjs';
import { rpc } from './json-rpc.mjs';
import { writePrivate } from '../processes/private-file.mjs';
import { waitForRpc } from './wait-for-rpc.mjs';

export const LOCAL_CHAIN_ID = 31337;

/**
 * Starts the local EVM chain and gives it back the state that `keepState` saved.
 * @param {{ children: import('../processes/children.mjs').Children, root: string, local: string, port: number }} options
 * @returns {Promise<{ child: import('../processes/children.mjs').Child, rpcUrl: string, keepState: () => Promise<void> }>}
 */
export async function startAnvil({ children, root, local, port }) {
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(LOCAL_CHAIN_ID)];
  // anvil signs for the outsider, too.
  args.push('--accounts', String(OUTSIDER + 1));
  const child = children.startGuarded('anvil', {
    command: anvilBinary(root),
    args: [...args, '--hardfork', 'prague', '--quiet', '--cache-path', join(local, 'anvil')],
    cwd: local,
    // anvil has neither `stop` nor `hurry`: it loses nothing that keepState does not keep, so it gets SIGKILL at once.
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const chainId = Number(await waitForRpc(child, rpcUrl, 'eth_chainId'));
  if (chainId !== LOCAL_CHAIN_ID) throw new Error(`${rpcUrl} is chain ${chainId}, not ${LOCAL_CHAIN_ID}`);
  // anvil funds every account that it signs for.
  /** @type {string[]} */
  const accounts = await rpc(rpcUrl, 'eth_accounts');
  await rpc(rpcUrl, 'anvil_setBalance', [accounts[OUTSIDER], '0x0']);
  const stateFile = join(local, 'chain-state.hex');
  if (existsSync(stateFile)) await rpc(rpcUrl, 'anvil_loadState', [readFileSync(stateFile, 'utf8')]);
  return {
    child,
    rpcUrl,
    keepState: async () => {
      writePrivate(stateFile, await rpc(rpcUrl, 'anvil_dumpState'));
    },
  };
}

/**
 * Platforms for which npm has anvil, by the names that Node gives them. package.json lists each of these packages as optional.
 * @type {Record<string, string>}
 */
export const ANVIL_PACKAGES = {
  'darwin arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin x64': '@foundry-rs/anvil-darwin-amd64',
  'linux arm64': '@foundry-rs/anvil-linux-arm64',
  'linux x64': '@foundry-rs/anvil-linux-amd64',
  'win32 x64': '@foundry-rs/anvil-win32-amd64',
};

/**
 * The binary itself: npm's wrapper package would be one more process to end. `ANVIL_PATH` names another one.
 * @param {string} root
 * @param {{ platform?: string, arch?: string, env?: NodeJS.ProcessEnv }} [machine]
 * @returns {string}
 */
export function anvilBinary(
  root,
  { platform = process.platform, arch = process.arch, env = process.env } = {},
) {
  if (env.ANVIL_PATH) {
    if (!existsSync(env.ANVIL_PATH)) throw new Error(`ANVIL_PATH names no file: ${env.ANVIL_PATH}`);
    return env.ANVIL_PATH;
  }
  const name = ANVIL_PACKAGES[`${platform} ${arch}`];
  const other = `or name a node that runs: RPC_URL_${LOCAL_CHAIN_ID}=http://…`;
  if (name === undefined)
    throw new Error(
      `npm has no anvil for ${platform} ${arch}. Name one that you built, ANVIL_PATH=/…/anvil (https://getfoundry.sh), ${other}`,
    );
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch (error) {
    throw new Error(
      `${name} is not installed. Install optional packages, too (node scripts/commands/install.mjs), name an anvil, ANVIL_PATH=/…/anvil, ${other}`,
      { cause: error },
    );
  }
}
