import {
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';

/** @import { Blockhash } from '@solana/kit' */
/** @typedef {{ blockhash: Blockhash, lastValidBlockHeight: number }} Lifetime */

const LAMPORTS = 1_000_000n;

/**
 * A payment that its sender has not signed yet, as account-kit takes it.
 * @param {{ from: string, to: string, lifetime: Lifetime }} payment
 * @returns {string} the transaction in base64
 */
export function createSolanaPayment({ from, to, lifetime }) {
  const source = createNoopSigner(address(from));
  const transfer = getTransferSolInstruction({ source, destination: address(to), amount: LAMPORTS });
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(source.address, empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { ...lifetime, lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight) },
        paid,
      ),
    (bounded) => appendTransactionMessageInstruction(transfer, bounded),
  );
  return getBase64EncodedWireTransaction(compileTransaction(message));
}
