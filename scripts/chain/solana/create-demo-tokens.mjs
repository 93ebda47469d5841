import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  getTransactionEncoder,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { writeCoreAsset } from './core-asset.mjs';
import { BADGES, createDemoSigner } from './demo-accounts.mjs';
import { writeMetadata } from './token-metadata.mjs';

/** @import { SolanaCluster } from './cluster.mjs' */
/** @import { Address, Instruction, KeyPairSigner } from '@solana/kit' */
/** @typedef {{ decimals: number, owner: Address, amount: bigint }} MintOptions */

const DECIMALS = 6;
const SUPPLY = 1_000n * 10n ** BigInt(DECIMALS);
const FEES = lamports(100_000_000_000n);

/**
 * Puts the demo tokens on a new cluster, at the same addresses each time: a fungible token, NFTs of a verified
 * collection (Token Metadata), and an asset of a collection of Metaplex Core. The holder gets 1,000 tokens, all NFTs and the asset;
 * the sponsor gets coins for fees.
 * @param {SolanaCluster} cluster
 * @returns {Promise<{ mint: string, collection: string, badges: string[] }>} addresses
 */
export async function createDemoTokens(cluster) {
  const deployer = await createDemoSigner('deployer');
  const { address: holder } = await createDemoSigner('holder');
  cluster.svm.airdrop(deployer.address, FEES);
  cluster.svm.airdrop(holder, lamports(10_000_000_000n));
  const { address: sponsor } = await createDemoSigner('sponsor');
  cluster.svm.airdrop(sponsor, FEES);
  /** @param {string} name @param {MintOptions} options */
  const mint = (name, options) => createMint(cluster, { name, authority: deployer, ...options });

  const coin = await mint('coin', { decimals: DECIMALS, owner: holder, amount: SUPPLY });
  const collection = await mint('collection', { decimals: 0, owner: deployer.address, amount: 1n });
  const updateAuthority = deployer.address;
  await writeMetadata(cluster.svm, {
    mint: coin,
    name: 'Gatehouse Demo Coin',
    symbol: 'GDC',
    updateAuthority,
  });
  await writeMetadata(cluster.svm, {
    mint: collection,
    name: 'Gatehouse Demo Badges',
    symbol: 'GDB',
    updateAuthority,
  });
  const badges = [];
  for (const [index, badgeName] of BADGES.entries()) {
    const number = index + 1;
    const badge = await mint(badgeName, { decimals: 0, owner: holder, amount: 1n });
    await writeMetadata(cluster.svm, {
      mint: badge,
      name: `Gatehouse Demo Badge #${number}`,
      symbol: 'GDB',
      updateAuthority,
      uri: `data:application/json,${encodeURIComponent(JSON.stringify({ level: number }))}`,
      collection: { key: collection, verified: true },
      creators: [{ address: deployer.address, verified: true, share: 100 }],
    });
    badges.push(badge);
  }
  const asset = await createDemoSigner('core asset');
  const coreCollection = await createDemoSigner('core collection');
  writeCoreAsset(cluster.svm, asset.address, {
    owner: holder,
    collection: coreCollection.address,
    creators: [{ address: deployer.address, verified: true }],
  });
  return { mint: coin, collection, badges };
}

/**
 * Creates a mint and mints an amount to the owner's associated token account.
 * @param {SolanaCluster} cluster
 * @param {MintOptions & { name: string, authority: KeyPairSigner }} mint
 * @returns {Promise<Address>} its address
 */
async function createMint(cluster, { name, authority, decimals, owner, amount }) {
  const mint = await createDemoSigner(name);
  const space = getMintSize();
  const [token] = await findAssociatedTokenPda({
    mint: mint.address,
    owner,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  await send(cluster, authority, [
    getCreateAccountInstruction({
      payer: authority,
      newAccount: mint,
      space,
      lamports: lamports(cluster.svm.minimumBalanceForRentExemption(BigInt(space))),
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals, mintAuthority: authority.address }),
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: authority, mint: mint.address, owner }),
    getMintToInstruction({ mint: mint.address, token, mintAuthority: authority, amount }),
  ]);
  return mint.address;
}

/**
 * Signs and executes a transaction; throws when it fails.
 * @param {SolanaCluster} cluster
 * @param {KeyPairSigner} payer
 * @param {readonly Instruction[]} instructions
 */
export async function send(cluster, payer, instructions) {
  cluster.advance();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(cluster.latestBlockhash(), draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  const { outcome } = cluster.send(getTransactionEncoder().encode(transaction));
  if (outcome.err !== null)
    throw new Error(`A transaction failed: ${JSON.stringify(outcome.err)}\n${outcome.logs.join('\n')}`);
}
