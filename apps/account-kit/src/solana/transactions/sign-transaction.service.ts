import { Injectable } from '@nestjs/common';
import base58 from 'bs58';
import { frozen } from '../../limits/freezes.errors.js';
import { operationUnavailable } from '../../policies/sponsoring/sponsoring.errors.js';
import { SendTransactionService } from './send-transaction.service.js';
import {
  SolanaTransactionRepository,
  isSigned,
  type SignedTransaction,
  type StoredTransaction,
} from './solana-transaction.repository.js';
import { TransactionStateRepository } from './transaction-state.repository.js';
import { SignerClient } from '../../custody/signer-client.js';

/** A signature by one of the service's keys. */
interface OwnSignature {
  /** Base58. */
  readonly address: string;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** Signs with keys that this process does not hold. */
export abstract class SolanaSigner {
  /**
   * Signs the message of a stored transaction that is `accepted`: with the account's key, and the sponsor's if it pays the fee.
   * @throws AppError 503 when the keys are away
   */
  abstract signSolanaTransaction(request: {
    readonly transactionId: string;
  }): Promise<readonly OwnSignature[]>;
}

/** Signs in the process that holds the keys. */
@Injectable()
export class VaultSolanaSigner extends SolanaSigner {
  constructor(private readonly signer: SignerClient) {
    super();
  }

  async signSolanaTransaction({
    transactionId,
  }: {
    readonly transactionId: string;
  }): Promise<readonly OwnSignature[]> {
    const signatures = await this.signer.signSolanaTransaction(transactionId);
    return signatures.map(({ address, signature }) => ({
      address,
      signature: Buffer.from(signature, 'base64'),
    }));
  }
}

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

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** Set in the first byte of a message that names its version there; a legacy one begins with its header. */
const VERSION_BIT = 0x80;
/** The header, and the number of keys: no transaction has room for so many that it takes two bytes. */
const BYTES_BEFORE_KEYS = 4;

/** The public keys of the signers of a message that was decoded before it was stored: decoding it again would cost more than signing. */
export function readSignerKeys(message: Buffer): Buffer[] {
  const header = (message.readUInt8(0) & VERSION_BIT) === 0 ? 0 : 1;
  const signers = message.readUInt8(header);
  const keys = header + BYTES_BEFORE_KEYS;
  return Array.from({ length: signers }, (_, index) =>
    message.subarray(keys + index * KEY_BYTES, keys + (index + 1) * KEY_BYTES),
  );
}

/** The signature of a signer of a stored transaction; zeros if it is missing. */
const readSignature = ({ signatures }: { readonly signatures: Buffer }, signer: number): Buffer =>
  signatures.subarray(signer * SIGNATURE_BYTES, (signer + 1) * SIGNATURE_BYTES);
