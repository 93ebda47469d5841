import { toChecksumAddress } from '@app/dto';
import type { WalletSelection } from './wallet-connections.service.js';
import { parseCandidateWallets } from './wallet.js';

const EVM_ADDRESS = /0x[0-9a-f]{40}$/i;

/**
 * Which wallets an address means: every one there, also contract accounts of several chains; or which a CAIP-10 id means: a
 * plain key whatever chain it was linked on, a contract account on its own. The case of an EVM address does not matter.
 */
export function parseWalletSelection(text: string): WalletSelection {
  if (!text.includes(':')) return { address: EVM_ADDRESS.test(text) ? toChecksumAddress(text) : text };
  const accountId = text.replace(EVM_ADDRESS, (address) => address.toLowerCase());
  return { keys: parseCandidateWallets(accountId).map(({ key }) => key) };
}
