import type { Instruction, KeyPairSigner } from '@solana/kit';
import type { SolanaCluster } from './cluster.mjs';

export declare function send(
  cluster: SolanaCluster,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<void>;
