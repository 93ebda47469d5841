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
          const signature = Uint8Array.from(await window.solanaTestSign(Array.from(message)));
          return [{ signedMessage: message, signature }];
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

/** @param signs whether the wallet has an account that can sign @returns the address of this account */
export async function installSolanaWallet(context: BrowserContext, signs = true): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const address = base58.encode(publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES));
  await context.exposeFunction('solanaTestSign', (message: number[]) => [
    ...sign(null, Buffer.from(message), privateKey),
  ]);
  const own = { address, chains: ['solana:mainnet'], features: ['solana:signMessage'] };
  await context.addInitScript({ content: wallet(signs ? [...OTHERS, own] : OTHERS) });
  return address;
}
