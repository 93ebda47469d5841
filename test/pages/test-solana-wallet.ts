import { generateKeyPairSync, sign } from 'node:crypto';
import base58 from 'bs58';
import type { BrowserContext } from 'playwright-core';

const RAW_KEY_BYTES = 32;

/**
 * Runs in every page: a wallet of the Wallet Standard with accounts on other chains. It lists accounts first that cannot
 * sign a message for Solana.
 */
const wallet = (accounts: readonly object[]): string => `{
  const accounts = ${JSON.stringify(accounts)};
  const wallet = {
    version: '1.0.0', name: 'Solana Test Wallet', chains: ['eip155:1', 'solana:mainnet'], accounts,
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts }) },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ account, message }) => {
          if (!account.features.includes('solana:signMessage')) throw new Error('Not with this account');
          const [signed, signature] = await window.solanaTestSign(Array.from(message));
          return [{ signedMessage: Uint8Array.from(signed), signature: Uint8Array.from(signature) }];
        },
      },
    },
  };
  const introduce = ({ register }) => register(wallet);
  window.addEventListener('wallet-standard:app-ready', ({ detail }) => introduce(detail));
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: introduce }));
}`;

/** Accounts that cannot sign messages for Solana. */
const OTHERS = [
  { address: `0x${'1'.repeat(40)}`, chains: ['eip155:1'], features: ['solana:signMessage'] },
  { address: '1'.repeat(32), chains: ['solana:mainnet'], features: ['solana:signTransaction'] },
];

/** What the wallet says that it signed, and the bytes that its key signs. */
type Wrap = (text: Buffer, key: Buffer) => { said: Buffer; signed: Buffer };

const HEADER = Buffer.from('\xffsolana offchain\0', 'latin1');
const measured = (text: Buffer): Buffer =>
  Buffer.concat([Buffer.of(text.length & 0xff, text.length >> 8), text]);
const inShortEnvelope = (text: Buffer): Buffer => Buffer.concat([HEADER, Buffer.of(0), measured(text)]);

/** Solana's off-chain message envelope, as wallets with a Ledger behind them use it. */
export const LEDGER_WALLETS = {
  'says what it signed': (text) => ({ said: inShortEnvelope(text), signed: inShortEnvelope(text) }),
  'says that it signed the text': (text) => ({ said: text, signed: inShortEnvelope(text) }),
  'chose an application domain': (text, key) => {
    const signed = Buffer.concat([HEADER, Buffer.alloc(32, 7), Buffer.of(0, 1), key, measured(text)]);
    return { said: signed, signed };
  },
} satisfies Record<string, Wrap>;

/**
 * @param signs whether the wallet has an account that can sign
 * @param wrap what a hardware wallet does to a text
 * @returns the address of this account
 */
export async function installSolanaWallet(
  context: BrowserContext,
  signs = true,
  wrap: Wrap = (text) => ({ said: text, signed: text }),
): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES);
  const address = base58.encode(key);
  await context.exposeFunction('solanaTestSign', (message: number[]) => {
    const { said, signed } = wrap(Buffer.from(message), key);
    return [[...said], [...sign(null, signed, privateKey)]];
  });
  const own = { address, chains: ['solana:mainnet'], features: ['solana:signMessage'] };
  await context.addInitScript({ content: wallet(signs ? [...OTHERS, own] : OTHERS) });
  return address;
}
