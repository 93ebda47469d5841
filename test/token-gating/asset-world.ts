import { type Address, generateKeyPairSigner } from '@solana/kit';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { SolanaNode } from '../support/solana-node.js';
import { createMint, createPayer, writeTokenAccount } from '../support/solana-tokens.js';
import { RolesWorld } from './roles-world.js';

const DEVNET = 8_000_000_000_103;
/** The CAIP-2 id of the cluster. */
export const DEVNET_CAIP_2 = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
/** A chain whose node is down. */
export const DOWN_CHAIN = 1;

/** Token-gating with an EVM chain, and a Solana cluster on which one owner holds an amount of a mint of six decimals. */
export interface AssetWorld {
  readonly world: RolesWorld;
  readonly cluster: SolanaNode;
  readonly mint: Address;
  readonly solanaOwner: Address;
}

export async function startAssetWorld(amount: bigint): Promise<AssetWorld> {
  const svm = new SolanaCluster();
  const cluster = await SolanaNode.start(svm);
  const mint = await createMint(svm, await createPayer(svm), { decimals: 6 });
  const { address: solanaOwner } = await generateKeyPairSigner();
  await writeTokenAccount(svm, { mint, owner: solanaOwner, amount });
  const world = await RolesWorld.start({
    [`RPC_URL_${DEVNET}`]: cluster.url,
    [`RPC_URL_${DOWN_CHAIN}`]: 'http://127.0.0.1:9',
    // Without a list the well-known tokens of the chain that is down would be read, too.
    WATCHED_TOKENS: '[]',
  });
  return { world, cluster, mint, solanaOwner };
}
