import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  type VersionedTransaction,
} from '@solana/web3.js';

export const newAddress = (): PublicKey => Keypair.generate().publicKey;

export const createTransfer = (from: PublicKey, lamports = 1_000): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: newAddress(), lamports });

interface TokenInstruction {
  /** The number of the instruction: https://docs.rs/spl-token-interface */
  readonly type: number;
  /** The last one signs. */
  readonly accounts: readonly PublicKey[];
  readonly amount?: bigint;
  readonly decimals?: number;
  readonly program?: string;
}

export function createTokenInstruction({
  type,
  accounts,
  amount,
  decimals,
  program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
}: TokenInstruction): TransactionInstruction {
  const amountBytes = Buffer.alloc(amount === undefined ? 0 : 8);
  if (amount !== undefined) amountBytes.writeBigUInt64LE(amount);
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map((pubkey, index) => ({
      pubkey,
      isSigner: index === accounts.length - 1,
      isWritable: true,
    })),
    data: Buffer.concat([
      Buffer.of(type),
      amountBytes,
      decimals === undefined ? Buffer.alloc(0) : Buffer.of(decimals),
    ]),
  });
}

export const toBase64 = (transaction: VersionedTransaction): string =>
  Buffer.from(transaction.serialize()).toString('base64');
