import { type Address, generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AccountState,
  getInitializeMint2Instruction,
  getMintSize,
  getTokenEncoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { send } from '../../scripts/chain/solana/create-demo-tokens.mjs';

export const TOKEN_2022_ADDRESS = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
const RICH = lamports(100_000_000_000n);

export async function createPayer(cluster: SolanaCluster): Promise<KeyPairSigner> {
  const payer = await generateKeyPairSigner();
  cluster.svm.airdrop(payer.address, RICH);
  return payer;
}

/** Creates a mint in the real token program. */
export async function createMint(
  cluster: SolanaCluster,
  payer: KeyPairSigner,
  { decimals, program = TOKEN_PROGRAM_ADDRESS }: { decimals: number; program?: Address },
): Promise<Address> {
  const mint = await generateKeyPairSigner();
  const space = getMintSize();
  await send(cluster, payer, [
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      space,
      lamports: lamports(cluster.svm.minimumBalanceForRentExemption(BigInt(space))),
      programAddress: program,
    }),
    getInitializeMint2Instruction(
      { mint: mint.address, decimals, mintAuthority: payer.address },
      { programAddress: program },
    ),
  ]);
  return mint.address;
}

interface TokenAccountFields {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly isFrozen?: boolean;
  readonly program?: Address;
}

/** Writes a token account with the layout of the program's own package. */
export async function writeTokenAccount(
  { svm }: SolanaCluster,
  { mint, owner, amount, isFrozen = false, program = TOKEN_PROGRAM_ADDRESS }: TokenAccountFields,
): Promise<void> {
  const { address } = await generateKeyPairSigner();
  const data = new Uint8Array(
    getTokenEncoder().encode({
      mint,
      owner,
      amount,
      delegate: null,
      state: isFrozen ? AccountState.Frozen : AccountState.Initialized,
      isNative: null,
      delegatedAmount: 0n,
      closeAuthority: null,
    }),
  );
  svm.setAccount({
    address,
    data,
    executable: false,
    lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress: program,
    space: BigInt(data.length),
  });
}
