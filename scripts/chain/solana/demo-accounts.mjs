import { createHash } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, getBase58Encoder } from '@solana/kit';

/** The keys of the demo are the same on every machine, and worthless anywhere else. @param {string} name */
const seedOf = (name) => createHash('sha256').update(`gatehouse local solana cluster: ${name}`).digest();

/**
 * @typedef {object} DemoWallet
 * @property {string} address
 * @property {string} privateKey as wallets import it: base58 of seed and public key
 */

/** @param {string} name @returns {Promise<import('@solana/kit').KeyPairSigner>} */
export const createDemoSigner = (name) => createKeyPairSignerFromPrivateKeyBytes(seedOf(name));

/**
 * A wallet of the demo.
 * @param {'holder' | 'outsider' | 'sponsor'} name the sponsor pays fees of transactions
 * @returns {Promise<DemoWallet>}
 */
export async function createDemoWallet(name) {
  const { address } = await createDemoSigner(name);
  const publicKey = getBase58Encoder().encode(address);
  const privateKey = getBase58Decoder().decode(Buffer.concat([seedOf(name), Buffer.from(publicKey)]));
  return { address, privateKey };
}

/** The names of the keys of the NFTs of the demo collection. */
export const BADGES = ['badge 1', 'badge 2', 'badge 3'];

/** @typedef {{ mint: string, collection: string, badges: string[], coreCollection: string, holder: DemoWallet, outsider: DemoWallet }} DemoSolana */

/** What the local cluster holds after its start. @returns {Promise<DemoSolana>} */
export async function describeDemoSolana() {
  const mint = await createDemoSigner('coin');
  const collection = await createDemoSigner('collection');
  const coreCollection = await createDemoSigner('core collection');
  const badges = await Promise.all(BADGES.map(createDemoSigner));
  const holder = await createDemoWallet('holder');
  const outsider = await createDemoWallet('outsider');
  return {
    mint: mint.address,
    collection: collection.address,
    badges: badges.map(({ address }) => address),
    coreCollection: coreCollection.address,
    holder,
    outsider,
  };
}
