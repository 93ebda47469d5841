import { toHex, toUtf8 } from './bytes.js';
import { NoAccountError, type OnWalletFound, type Wallet } from './wallet.js';

const SIGNS_MESSAGES = 'solana:signMessage';

/** A wallet may have accounts on several chains, and accounts that cannot sign messages. */
interface Account {
  address: string;
  chains: readonly string[];
  features: readonly string[];
}

interface SignedMessage {
  /** What the wallet signed, which may wrap the message. */
  signedMessage: Uint8Array;
  signature: Uint8Array;
}

/** The part of the Wallet Standard that this page uses (https://github.com/wallet-standard/wallet-standard). */
interface StandardWallet {
  name: string;
  icon?: string;
  features: {
    'standard:connect'?: { connect: () => Promise<{ accounts: readonly Account[] }> };
    [SIGNS_MESSAGES]?: {
      signMessage: (input: { account: Account; message: Uint8Array }) => Promise<readonly SignedMessage[]>;
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

/** CAIP-2 id of Solana mainnet. A login with a Solana account is the same on every network. */
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** Finds wallets that can sign messages for Solana, by the two events of the Wallet Standard. */
export function findSolanaWallets(onWallet: OnWalletFound): void {
  const known = new Set<StandardWallet>();
  const registry: Registry = {
    register: (...wallets) => {
      for (const wallet of wallets) {
        if (known.has(wallet)) continue;
        known.add(wallet);
        const solanaWallet = toWallet(wallet);
        if (solanaWallet) onWallet(solanaWallet);
      }
    },
  };
  window.addEventListener('wallet-standard:register-wallet', ({ detail: registerWallet }) => {
    registerWallet(registry);
  });
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: registry }));
}

const canSignIn = ({ chains, features }: Account): boolean =>
  chains.some((chain) => chain.startsWith('solana:')) && features.includes(SIGNS_MESSAGES);

/**
 * The signature, together with what was signed where that is not the text: a Ledger signs the text inside Solana's off-chain
 * message envelope, whose application domain a signature alone does not tell. The envelope is the number of signatures, the
 * signatures and the signed bytes.
 */
function toSignature(text: Uint8Array, { signedMessage, signature }: SignedMessage): Uint8Array {
  const isText = signedMessage.every((byte, index) => byte === text[index]);
  if (signedMessage.length === 0 || (isText && signedMessage.length === text.length)) return signature;
  return Uint8Array.of(1, ...signature, ...signedMessage);
}

/** Undefined for a wallet that cannot sign messages for Solana. */
function toWallet({ name, icon, features }: StandardWallet): Wallet | undefined {
  const connector = features['standard:connect'];
  const signer = features[SIGNS_MESSAGES];
  if (!connector || !signer) return undefined;
  let account: Account | undefined;
  return {
    name,
    icon,
    connect: async () => {
      account = (await connector.connect()).accounts.find(canSignIn);
      if (!account) throw new NoAccountError(name, 'Solana');
      return `${MAINNET}:${account.address}`;
    },
    sign: async (message) => {
      if (!account) throw new Error('The wallet is not connected.');
      const text = toUtf8(message);
      const [signed] = await signer.signMessage({ account, message: text });
      if (!signed) throw new Error('The wallet returned no signature.');
      return { signatureType: 'ed25519', signature: toHex(toSignature(text, signed)) };
    },
  };
}
