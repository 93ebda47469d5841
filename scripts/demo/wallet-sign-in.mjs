import { gatewayCaller } from './gateway-caller.mjs';

/** @import { Hex } from 'viem' */

/**
 * Signs a wallet in at the gateway, as a program of a client application does (contract.md section 4).
 * @param {{ gatewayUrl: string, apiKey: string, origin: string, chainId: number }} client
 * @param {string} privateKey of the wallet
 * @param {string[]} scopes
 * @returns {Promise<string>} the value of `Authorization`
 */
export async function signInWithWallet({ gatewayUrl, apiKey, origin, chainId }, privateKey, scopes) {
  const { privateKeyToAccount } = await import('viem/accounts');
  const wallet = privateKeyToAccount(/** @type {Hex} */ (privateKey));
  const accountId = `eip155:${chainId}:${wallet.address}`;
  const call = gatewayCaller(gatewayUrl, { 'X-API-Key': apiKey });
  /** @type {{ requestId: string, message: string }} */
  const { requestId, message } = await call('POST', '/ethereum-login/challenges', {
    uri: `${origin}/`,
    accountId,
    resources: scopes.map((scope) => `urn:scope:${scope}`),
  });
  const signature = await wallet.signMessage({ message });
  /** @type {{ idToken: string }} */
  const { idToken } = await call('POST', '/ethereum-login/id-tokens', { requestId, signature, accountId });
  return `AE ${idToken}`;
}
