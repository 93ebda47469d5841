import { toChecksumAddress } from '@app/dto';
import type { WalletSelection } from './wallet-connections.service.js';
import { parseCandidateWallets } from './wallet.js';

const EVM_ADDRESS = /0x[0-9a-f]{40}$/i;

/**
 * Parses an address or a CAIP-10 id. An address selects every wallet at it, including contract wallets on several chains; a
 * CAIP-10 id selects an externally owned account on any chain and a contract wallet on its own. EVM addresses ignore case.
 */
export function parseWalletSelection(text: string): WalletSelection {
  if (!text.includes(':')) return { address: EVM_ADDRESS.test(text) ? toChecksumAddress(text) : text };
  const accountId = text.replace(EVM_ADDRESS, (address) => address.toLowerCase());
  return { keys: parseCandidateWallets(accountId).map(({ key }) => key) };
}
