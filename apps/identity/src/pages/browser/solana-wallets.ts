import { toHex, utf8 } from './bytes.js';
import type { OnWallet, Wallet } from './wallet.js';

interface Account {
  address: string;
}

/** What this page needs of the Wallet Standard (https://github.com/wallet-standard/wallet-standard). */
interface StandardWallet {
  name: string;
  icon?: string;
  features: {
    'standard:connect'?: { connect: () => Promise<{ accounts: readonly Account[] }> };
    'solana:signMessage'?: {
      signMessage: (question: {
        account: Account;
        message: Uint8Array;
      }) => Promise<readonly { signedMessage: Uint8Array; signature: Uint8Array }[]>;
    };
  };
}

interface Registry {
  register: (...wallets: StandardWallet[]) => void;
}

declare global {
  interface WindowEventMap {
    'wallet-standard:register-wallet': CustomEvent<(registry: Registry) => void>;
  }
}

/** CAIP-2 of the main network. A login is the same on each of them. */
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** Finds wallets that can sign messages for Solana by the Wallet Standard's two events. */
export function findSolanaWallets(onWallet: OnWallet): void {
  const known = new Set<StandardWallet>();
  const registry: Registry = {
    register: (...wallets) => {
      for (const wallet of wallets) {
        if (known.has(wallet)) continue;
        known.add(wallet);
        const usable = toWallet(wallet);
        if (usable) onWallet(usable);
      }
    },
  };
  window.addEventListener('wallet-standard:register-wallet', ({ detail: introduce }) => {
    introduce(registry);
  });
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: registry }));
}

/** Undefined for a wallet that cannot sign messages for Solana. */
function toWallet({ name, icon, features }: StandardWallet): Wallet | undefined {
  const connector = features['standard:connect'];
  const signer = features['solana:signMessage'];
  if (!connector || !signer) return undefined;
  let account: Account | undefined;
  return {
    name,
    icon,
    connect: async () => {
      [account] = (await connector.connect()).accounts;
      if (!account) throw new Error('The wallet shows no account.');
      return `${MAINNET}:${account.address}`;
    },
    sign: async (message) => {
      if (!account) throw new Error('The wallet is not connected.');
      const [signed] = await signer.signMessage({ account, message: utf8(message) });
      if (!signed) throw new Error('The wallet has signed nothing.');
      return { signatureType: 'ed25519', signature: toHex(signed.signature) };
    },
  };
}
