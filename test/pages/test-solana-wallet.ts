import { generateKeyPairSync, sign } from 'node:crypto';
import { base58 } from '@scure/base';
import type { BrowserContext } from 'playwright-core';

const RAW_KEY_BYTES = 32;

/** Runs in every page: a wallet of the Wallet Standard that can sign messages for Solana. */
const wallet = (address: string): string => `{
  const account = { address: ${JSON.stringify(address)}, chains: ['solana:mainnet'] };
  const wallet = {
    version: '1.0.0', name: 'Solana Test Wallet', chains: ['solana:mainnet'], accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ message }) => {
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

/** @returns its address */
export async function installSolanaWallet(context: BrowserContext): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const address = base58.encode(publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES));
  await context.exposeFunction('solanaTestSign', (message: number[]) => [
    ...sign(null, Buffer.from(message), privateKey),
  ]);
  await context.addInitScript({ content: wallet(address) });
  return address;
}
