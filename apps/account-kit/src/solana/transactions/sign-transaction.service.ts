import { Injectable } from '@nestjs/common';
import base58 from 'bs58';
import { frozen } from '../../limits/freezes.errors.js';
import { readSignature, readSignerKeys } from '../messages/transaction/read-signers.js';
import { operationUnavailable } from '../../policies/sponsoring/sponsoring.errors.js';
import { SendTransactionService } from './send-transaction.service.js';
import { SolanaSigner } from './solana-signer.js';
import { SolanaTransactionRepository } from './solana-transaction.repository.js';
import { TransactionStateRepository } from './transaction-state.repository.js';
import { isSigned, type SignedTransaction, type StoredTransaction } from './stored-transaction.js';

/**
 * Signs accepted transactions, and has them sent once that is stored. Signing twice makes the same bytes, so concurrent callers do no
 * harm.
 */
@Injectable()
export class SignTransactionService {
  constructor(
    private readonly transactions: SolanaTransactionRepository,
    private readonly states: TransactionStateRepository,
    private readonly signer: SolanaSigner,
    private readonly sending: SendTransactionService,
  ) {}

  /**
   * @throws AppError 403 `frozen`, 503 when the keys are away, or did not sign in time
   * @throws Error when a concurrent caller has signed or rejected the transaction meanwhile
   */
  async sign(transaction: StoredTransaction): Promise<SignedTransaction> {
    if (isSigned(transaction)) return transaction;
    const own = await this.signer.signSolanaTransaction({ transactionId: transaction.id });
    const signatures = completeSignatures(transaction, own);
    const signature = base58.encode(signatures.subarray(0, 64));
    const { id } = transaction;
    if (!(await this.states.markSubmittedWith({ id, signatures, signature })))
      throw await this.findReason(id);
    const signed = { ...transaction, signatures, signature, state: 'submitted' as const };
    this.sending.sendSoon(signed);
    return signed;
  }

  /** Why signatures were not stored. They are not returned then: the first one is all that is needed to send the transaction. */
  private async findReason(id: string): Promise<Error> {
    const stored = await this.transactions.find(id);
    if (stored?.state !== 'accepted') return new Error('the transaction was signed or rejected meanwhile');
    return (await this.transactions.isFrozen(id)) ? frozen() : operationUnavailable();
  }
}

/** All signatures of the transaction: those of others were verified before it was accepted. */
function completeSignatures(
  transaction: StoredTransaction,
  own: Awaited<ReturnType<SolanaSigner['signSolanaTransaction']>>,
): Buffer {
  const byAddress = new Map(own.map(({ address, signature }) => [address, signature]));
  return Buffer.concat(
    readSignerKeys(transaction.message).map((key, index) => {
      const signer = base58.encode(key);
      const signature = byAddress.get(signer) ?? readSignature(transaction, index);
      if (signature.every((byte) => byte === 0)) throw new Error(`there is no signature of ${signer}`);
      return signature;
    }),
  );
}
