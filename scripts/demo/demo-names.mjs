import { LOCAL_CHAIN_ID } from '../chain/anvil.mjs';
import { createDeployer } from '../chain/deploy.mjs';
import { withConnection } from '../postgres/with-connection.mjs';

/** @import { DemoAccounts } from './demo-accounts.mjs' */

const HOLDER_NAME = 'Ada Demo';
const HOLDER_ENS_NAME = 'ada-demo.eth';

/**
 * Puts an ENS on the local chain, in which the demo holder has a name; what is there already stays.
 * @param {{ rpcUrl: string, root: string, accounts: DemoAccounts }} options
 * @returns {Promise<Record<string, string>>} the configuration of identity; empty where the user's own settings name a node of the real ENS
 */
export async function deployEnsDemo({ rpcUrl, root, accounts }) {
  if (process.env.RPC_URL_1) return {};
  const { namehash } = await import('viem');
  const deployer = createDeployer({ rpcUrl, root, from: accounts.deployer.address });
  const ens = await deployer.contract('DemoEns', []);
  const { address: universalResolver } = await deployer.contract('DemoUniversalResolver', [ens.address]);
  const node = namehash(HOLDER_ENS_NAME);
  if ((await ens.read('addr', node)) !== accounts.holder.address) {
    await ens.send('setAddr', node, accounts.holder.address);
    const holder = createDeployer({ rpcUrl, root, from: accounts.holder.address });
    await (await holder.contract('DemoEns', [])).send('setName', HOLDER_ENS_NAME);
  }
  return { ENS_CHAIN_ID: String(LOCAL_CHAIN_ID), ENS_UNIVERSAL_RESOLVER: universalResolver };
}

/**
 * Gives the demo holder a name in the profile, unless the profile has anything already. Names are set in the portal, or with a scope that
 * credentials of wallets never have.
 * @param {{ databaseUrl: string, holderId: string }} options
 */
export async function nameDemoHolder({ databaseUrl, holderId }) {
  await withConnection(databaseUrl, (client) =>
    client.query(
      'UPDATE identity.users SET name = $2 WHERE id = $1 AND coalesce(name, username, picture) IS NULL',
      [holderId, HOLDER_NAME],
    ),
  );
}
