import { isValidEd25519Signature } from '@app/chain/sign-in';
import base58 from 'bs58';
import { solanaTransactionInvalid } from '../solana-message.errors.js';
import type { SolanaTransaction } from './solana-transaction.js';

/** Checks the signatures of all signers but `own`, whose signatures the service makes. */
export function checkForeignSignatures(transaction: SolanaTransaction, own: readonly string[]): void {
  transaction.signers.forEach((signer, index) => {
    if (own.includes(signer)) return;
    const signature = transaction.signatures[index];
    if (!signature || signature.every((byte) => byte === 0))
      throw solanaTransactionInvalid(`the signature of ${signer} is missing`);
    if (!isValidEd25519Signature({ message: transaction.message, key: base58.decode(signer), signature }))
      throw solanaTransactionInvalid(`the signature of ${signer} is wrong`);
  });
}
