import {
  address,
  blockhash,
  getBase58Decoder,
  getBase64Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { Clock, FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { toJsonError } from './transaction-error.mjs';
import { listAccounts } from './transaction-json.mjs';

/** @import { Blockhash, EncodedAccount, ReadonlyUint8Array, Transaction } from '@solana/kit' */
/** @import { SimulatedTransactionInfo, TransactionMetadata } from 'litesvm' */

const SLOT_MS = 400;
/** A transaction may name the blockhash of any of this many slots (`MAX_PROCESSING_AGE` of Solana's runtime). */
const MAX_BLOCKHASH_AGE = 150;
/** Slots until a block is finalized. */
const FINALITY_SLOTS = 32;
const MAX_TRANSACTIONS = 10_000;
/** The slot after which the cluster starts, so that `slot - n` is never negative. */
const FIRST_SLOT = 1_000n;

/**
 * @typedef {object} Outcome of a transaction
 * @property {import('./transaction-error.mjs').JsonError | null} err
 * @property {string[]} logs
 * @property {number} unitsConsumed
 * @property {{ programId: string, data: [string, 'base64'] } | null} returnData
 */

/**
 * @typedef {object} Balances of the accounts of a transaction, in its order, in lamports
 * @property {bigint[]} preBalances
 * @property {bigint[]} postBalances
 */

/** @typedef {Outcome & Balances & { slot: bigint, blockTime: number, wire: ReadonlyUint8Array }} Landed */

/**
 * A Solana cluster of one node in this process: Solana's runtime with its token programs (litesvm), a clock that makes a
 * slot every 400 ms, and the blockhashes of the last 150 slots. Each transaction executes when it is sent.
 */
export class SolanaCluster {
  /** The virtual machine. Accounts in it can be read and written past the rules of the runtime. */
  svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(BigInt(MAX_TRANSACTIONS));
  #startedAtMs = Date.now();
  #slot = FIRST_SLOT;
  /** @type {Map<string, bigint>} the slot of each blockhash, oldest first */
  #blockhashes = new Map();
  /** @type {Map<string, Landed>} by signature, oldest first */
  #transactions = new Map();

  constructor() {
    this.#beginSlot(this.#slot);
  }

  /** Makes the slots that have passed since the last call. @returns {bigint} the slot of now */
  advance() {
    const slot = FIRST_SLOT + BigInt(Math.floor((Date.now() - this.#startedAtMs) / SLOT_MS));
    if (slot > this.#slot) {
      const missed = slot - this.#slot;
      const kept = missed < MAX_BLOCKHASH_AGE ? missed : BigInt(MAX_BLOCKHASH_AGE);
      for (let next = slot - kept + 1n; next <= slot; next += 1n) this.#beginSlot(next);
    }
    return this.#slot;
  }

  /** @returns {{ blockhash: Blockhash, lastValidBlockHeight: bigint }} */
  latestBlockhash() {
    return {
      blockhash: blockhash(this.svm.latestBlockhash()),
      lastValidBlockHeight: this.#slot + BigInt(MAX_BLOCKHASH_AGE),
    };
  }

  /** @param {string} blockhash */
  isValid(blockhash) {
    return this.#blockhashes.has(blockhash);
  }

  /**
   * @param {ReadonlyUint8Array} wire a transaction
   * @param {{ sigVerify?: boolean }} [options] whether its signatures are checked
   * @returns {Outcome & { postAccounts: EncodedAccount[] }} with the state of its accounts, if it succeeds
   */
  simulate(wire, { sigVerify = true } = {}) {
    this.svm.withSigverify(sigVerify);
    try {
      /** @type {EncodedAccount[]} */
      let postAccounts = [];
      const outcome = this.#run(wire, (transaction) => {
        const result = this.svm.simulateTransaction(transaction);
        if ('postAccounts' in result) postAccounts = result.postAccounts();
        return result;
      });
      return { ...outcome, postAccounts };
    } finally {
      this.svm.withSigverify(true);
    }
  }

  /** Makes slots at once. @param {number} slots */
  skipSlots(slots) {
    this.#startedAtMs -= slots * SLOT_MS;
    this.advance();
  }

  /**
   * Executes a transaction. One that fails in an instruction lands, too, and has paid its fee.
   * @param {ReadonlyUint8Array} wire a signed transaction
   * @returns {{ signature: string, outcome: Outcome }}
   */
  send(wire) {
    const signature = readSignature(wire);
    const accounts = listAccounts(this.svm, wire);
    const preBalances = this.#readBalances(accounts);
    const outcome = this.#run(wire, (transaction) => this.svm.sendTransaction(transaction));
    if (outcome.err === null || typeof outcome.err !== 'string') {
      const postBalances = this.#readBalances(accounts);
      const slot = this.#slot;
      this.#transactions.set(signature, {
        ...outcome,
        ...{ slot, blockTime: this.#seconds(), wire, preBalances, postBalances },
      });
      if (this.#transactions.size > MAX_TRANSACTIONS)
        this.#transactions.delete(this.#transactions.keys().next().value ?? '');
    }
    return { signature, outcome };
  }

  /** @param {string} signature @returns {Landed | undefined} */
  find(signature) {
    return this.#transactions.get(signature);
  }

  /** @param {Landed} landed @returns {{ confirmations: number | null, confirmationStatus: string }} */
  describeConfirmation({ slot }) {
    const confirmations = Number(this.#slot - slot);
    if (confirmations >= FINALITY_SLOTS) return { confirmations: null, confirmationStatus: 'finalized' };
    return { confirmations, confirmationStatus: confirmations > 0 ? 'confirmed' : 'processed' };
  }

  /**
   * @param {ReadonlyUint8Array} wire
   * @param {(transaction: Transaction) => TransactionMetadata | FailedTransactionMetadata | SimulatedTransactionInfo} execute
   * @returns {Outcome}
   */
  #run(wire, execute) {
    const transaction = getTransactionDecoder().decode(wire);
    const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    if (!this.isValid(lifetimeToken))
      return { err: 'BlockhashNotFound', logs: [], unitsConsumed: 0, returnData: null };
    const result = execute(transaction);
    const isFailed = result instanceof FailedTransactionMetadata;
    const meta = 'meta' in result ? result.meta() : result;
    return {
      err: isFailed ? toJsonError(result.err()) : null,
      logs: meta.logs(),
      unitsConsumed: Number(meta.computeUnitsConsumed()),
      returnData: toJsonReturnData(meta.returnData()),
    };
  }

  /** @param {bigint} slot */
  #beginSlot(slot) {
    this.#slot = slot;
    this.svm.expireBlockhash();
    this.#blockhashes.set(this.svm.latestBlockhash(), slot);
    for (const [blockhash, age] of this.#blockhashes) {
      if (age + BigInt(MAX_BLOCKHASH_AGE) > slot) break;
      this.#blockhashes.delete(blockhash);
    }
    const { epochStartTimestamp, epoch, leaderScheduleEpoch } = this.svm.getClock();
    this.svm.setClock(
      new Clock(slot, epochStartTimestamp, epoch, leaderScheduleEpoch, BigInt(this.#seconds())),
    );
  }

  /** @param {string[]} accounts */
  #readBalances(accounts) {
    return accounts.map((account) => this.svm.getBalance(address(account)) ?? 0n);
  }

  #seconds() {
    return Math.floor(Date.now() / 1_000);
  }
}

/** @param {ReadonlyUint8Array} wire */
function readSignature(wire) {
  const [signature] = Object.values(getTransactionDecoder().decode(wire).signatures);
  if (!signature) throw new RangeError('the transaction is not signed by its fee payer');
  return getBase58Decoder().decode(signature);
}

/** @param {ReturnType<TransactionMetadata['returnData']>} returnData @returns {Outcome['returnData']} */
function toJsonReturnData(returnData) {
  const data = returnData.data();
  if (data.length === 0) return null;
  return {
    programId: getBase58Decoder().decode(returnData.programId()),
    data: [getBase64Decoder().decode(data), 'base64'],
  };
}
