import { toHex, toUtf8 } from './bytes.js';
import { NoAccountError, type OnWalletFound, type Wallet } from './wallet.js';

/** EIP-1193. */
export interface Eip1193Provider {
  request: (call: { method: string; params?: unknown[] }) => Promise<unknown>;
}

/** EIP-6963. */
interface Announcement {
  info: { uuid: string; name: string; icon?: string };
  provider: Eip1193Provider;
}

declare global {
  interface Window {
    ethereum?: Eip1193Provider;
  }
  interface WindowEventMap {
    'eip6963:announceProvider': CustomEvent<Announcement>;
  }
}

/** `window.ethereum` is used after this time without an announcement. */
const ANNOUNCEMENT_TIMEOUT_MS = 300;

/** Finds wallets by EIP-6963, or by `window.ethereum` if none announces itself. */
export function findEthereumWallets(onWallet: OnWalletFound): void {
  const known = new Set<string>();
  window.addEventListener('eip6963:announceProvider', ({ detail: { info, provider } }) => {
    if (known.has(info.uuid)) return;
    known.add(info.uuid);
    onWallet(toWallet(info.name, info.icon, provider));
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  setTimeout(() => {
    if (known.size === 0 && window.ethereum) onWallet(toWallet('Browser wallet', undefined, window.ethereum));
  }, ANNOUNCEMENT_TIMEOUT_MS);
}

function toWallet(name: string, icon: string | undefined, provider: Eip1193Provider): Wallet {
  let address = '';
  return {
    name,
    icon,
    connect: async () => {
      const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
      const chainId = (await provider.request({ method: 'eth_chainId' })) as string;
      if (accounts[0] === undefined) throw new NoAccountError(name, 'Ethereum');
      address = accounts[0];
      return `eip155:${Number(chainId)}:${address}`;
    },
    sign: async (message) => ({
      signatureType: 'eip191',
      signature: (await provider.request({
        method: 'personal_sign',
        params: [toHex(toUtf8(message)), address],
      })) as string,
    }),
  };
}
