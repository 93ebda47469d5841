import { LOCAL_CHAIN_ID } from '../chain/anvil.mjs';
import { DEMO_BADGES } from './demo-contracts.mjs';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The wallet of the login page for whoever has none: the local chain signs for the demo accounts. Nothing when the
 * user's own settings make this another profile than the local one, where identity would refuse it.
 * @param {{ rpcUrl: string, accounts: import('./demo-accounts.mjs').DemoAccounts, tokens: { erc721: string } | undefined }} options tokens: of the demo, if there is one
 * @returns {{ TEST_WALLET?: string }} for identity's environment
 */
export function testWallet({ rpcUrl, accounts, tokens }, env = process.env) {
  const urls = [rpcUrl, env.PUBLIC_URL, env.AUTH_URL].flatMap((url) => (url ? [url] : []));
  const isLocal =
    env.NODE_ENV !== 'production' && urls.every((url) => LOOPBACK.includes(new URL(url).hostname));
  if (!isLocal) return {};
  const { holder, outsider } = accounts;
  const wallet = {
    rpcUrl,
    chainId: LOCAL_CHAIN_ID,
    accounts: { holder: holder.address, outsider: outsider.address },
    ...(tokens && { badges: { contractAddress: tokens.erc721, tokenIds: DEMO_BADGES } }),
  };
  return { TEST_WALLET: JSON.stringify(wallet) };
}
