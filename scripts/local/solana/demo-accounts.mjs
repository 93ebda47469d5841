import { createHash } from 'node:crypto';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getBase58Decoder,
  getPublicKeyFromAddress,
} from '@solana/kit';

/** The keys of the demo are the same on every machine, and worthless anywhere else. */
const seedOf = (name) => createHash('sha256').update(`gatehouse local solana cluster: ${name}`).digest();

/** @param {string} name @returns {Promise<import('@solana/kit').KeyPairSigner>} */
export const createDemoSigner = (name) => createKeyPairSignerFromPrivateKeyBytes(seedOf(name));

/**
 * A wallet of the demo.
 * @param {'holder' | 'outsider'} name
 * @returns {Promise<{ address: string, privateKey: string }>} the key as wallets import it: base58 of seed and public key
 */
export async function createDemoWallet(name) {
  const { address } = await createDemoSigner(name);
  const publicKey = await crypto.subtle.exportKey('raw', await getPublicKeyFromAddress(address));
  const privateKey = getBase58Decoder().decode(Buffer.concat([seedOf(name), Buffer.from(publicKey)]));
  return { address, privateKey };
}
