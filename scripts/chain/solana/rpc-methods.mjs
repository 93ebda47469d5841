import {
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports as toLamports,
} from '@solana/kit';
import { matchesFilter, toAddress, toJsonAccount, toJsonKeyedAccount } from './account-json.mjs';
import { invalidParam, RpcError } from './rpc-error.mjs';
import { toJsonTransaction } from './transaction-json.mjs';
import { getTokenAccountBalance, getTokenSupply, listTokenAccounts } from './token-accounts.mjs';

/** @import { AccountFilter, AccountOptions } from './account-json.mjs' */
/** @import { Address, ReadonlyUint8Array } from '@solana/kit' */
/** @typedef {{ minContextSlot?: number }} ContextOptions */
/** @typedef {ContextOptions & AccountOptions} ReadOptions */
/** @typedef {ContextOptions & { encoding?: string }} WireOptions */

/** @import { SolanaCluster } from './cluster.mjs' */

/** The genesis hash of devnet, whose chain id the local profile gives to this cluster. */
const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const SLOTS_PER_EPOCH = 432_000n;
const LAMPORTS_PER_SIGNATURE = 5_000;
const MAX_ACCOUNTS = 100;

/**
 * The JSON-RPC methods of a Solana node (https://solana.com/docs/rpc/http) that clients of a local cluster need.
 * Each commitment reads the newest state. Accounts are encoded as base64 or base58.
 * @param {SolanaCluster} cluster
 * @returns {Record<string, (...params: never[]) => unknown>} each declares the parameters that a client sends
 */
export function createRpcMethods(cluster) {
  const { svm } = cluster;
  const now = () => cluster.advance();

  /**
   * @template T
   * @param {() => T} value
   * @param {ContextOptions} [options]
   */
  const withContext = (value, { minContextSlot } = {}) => {
    const slot = now();
    if (minContextSlot !== undefined && BigInt(minContextSlot) > slot)
      throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
    return { context: { apiVersion: '3.0.0', slot }, value: value() };
  };

  /** @param {Address} address @param {AccountOptions} [options] */
  const getAccount = (address, options) => {
    const account = svm.getAccount(address);
    return account.exists && account.lamports > 0n ? toJsonAccount(account, options) : null;
  };

  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'feature-set': 0, 'solana-core': '3.0.0' }),
    getGenesisHash: () => GENESIS_HASH,
    getSlot: () => now(),
    getBlockHeight: () => now(),
    // The cluster keeps the statuses of all transactions.
    getFirstAvailableBlock: () => 0,
    getBlockTime: () => Math.floor(Date.now() / 1_000),
    getEpochInfo: () => {
      const slot = now();
      return {
        absoluteSlot: slot,
        blockHeight: slot,
        epoch: slot / SLOTS_PER_EPOCH,
        slotIndex: slot % SLOTS_PER_EPOCH,
        slotsInEpoch: SLOTS_PER_EPOCH,
        transactionCount: 0,
      };
    },
    /** @param {ContextOptions} [options] */
    getLatestBlockhash: (options) => withContext(() => cluster.latestBlockhash(), options),
    /** @param {string} blockhash @param {ContextOptions} [options] */
    isBlockhashValid: (blockhash, options) => withContext(() => cluster.isValid(blockhash), options),
    /** @param {number} bytes */
    getMinimumBalanceForRentExemption: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    /** @param {string} message @param {ContextOptions} [options] */
    getFeeForMessage: (message, options) =>
      withContext(() => {
        const { header } = getCompiledTransactionMessageDecoder().decode(getBase64Encoder().encode(message));
        return header.numSignerAccounts * LAMPORTS_PER_SIGNATURE;
      }, options),
    /** @param {string} address @param {ContextOptions} [options] */
    getBalance: (address, options) => withContext(() => svm.getBalance(toAddress(address)) ?? 0n, options),
    /** @param {string} address @param {ReadOptions} [options] */
    getAccountInfo: (address, options) => withContext(() => getAccount(toAddress(address), options), options),
    /** @param {string[]} addresses @param {ReadOptions} [options] */
    getMultipleAccounts: (addresses, options) => {
      if (addresses.length > MAX_ACCOUNTS)
        throw invalidParam(`Too many inputs provided; max ${MAX_ACCOUNTS}`);
      return withContext(() => addresses.map((address) => getAccount(toAddress(address), options)), options);
    },
    /**
     * @param {string} program
     * @param {ReadOptions & { filters?: AccountFilter[], withContext?: boolean }} [options]
     */
    getProgramAccounts: (program, options = {}) => {
      const matching = () =>
        svm
          .getProgramAccounts(toAddress(program))
          .filter(({ data }) => (options.filters ?? []).every((filter) => matchesFilter(data, filter)))
          .map((account) => toJsonKeyedAccount(account, options));
      const result = withContext(matching, options);
      return options.withContext ? result : result.value;
    },
    /**
     * @param {string} owner
     * @param {{ mint?: string, programId?: string }} filter
     * @param {ReadOptions} [options]
     */
    getTokenAccountsByOwner: (owner, filter, options) =>
      withContext(() => {
        const accounts = listTokenAccounts(svm, toAddress(owner), filter);
        return accounts.map((account) => toJsonKeyedAccount(account, options));
      }, options),
    /** @param {string} address @param {ContextOptions} [options] */
    getTokenAccountBalance: (address, options) =>
      withContext(() => getTokenAccountBalance(svm, address), options),
    /** @param {string} mint @param {ContextOptions} [options] */
    getTokenSupply: (mint, options) => withContext(() => getTokenSupply(svm, mint), options),
    /** @param {string} address @param {number} amount */
    requestAirdrop: (address, amount) => {
      now();
      const result = svm.airdrop(toAddress(address), toLamports(BigInt(amount)));
      if (result === null) throw new RpcError(-32603, 'The airdrop was refused');
      return getBase58Decoder().decode(('meta' in result ? result.meta() : result).signature());
    },
    /**
     * @param {string} transaction
     * @param {WireOptions & { sigVerify?: boolean, accounts?: AccountOptions & { addresses: string[] } }} [options]
     */
    simulateTransaction: (transaction, options = {}) =>
      withContext(() => {
        const { postAccounts, ...outcome } = cluster.simulate(toWire(transaction, options), {
          sigVerify: options.sigVerify ?? false,
        });
        const accounts = options.accounts?.addresses.map((address) => {
          const account = postAccounts.find((one) => one.address === toAddress(address));
          return account ? toJsonAccount(account, options.accounts) : null;
        });
        return { ...outcome, accounts: accounts ?? null };
      }, options),
    /** @param {string} transaction @param {WireOptions & { skipPreflight?: boolean }} [options] */
    sendTransaction: (transaction, options = {}) => {
      now();
      const wire = toWire(transaction, options);
      if (!options.skipPreflight) {
        const { err, logs, unitsConsumed } = cluster.simulate(wire);
        if (err !== null)
          throw new RpcError(-32002, `Transaction simulation failed: ${JSON.stringify(err)}`, {
            err,
            logs,
            unitsConsumed,
            accounts: null,
          });
      }
      return cluster.send(wire).signature;
    },
    /** @param {string} signature @param {{ encoding?: string }} [options] */
    getTransaction: (signature, { encoding = 'json' } = {}) => {
      now();
      if (encoding !== 'json') throw invalidParam(`${encoding} is not supported`);
      const landed = cluster.find(signature);
      return landed ? toJsonTransaction(svm, landed) : null;
    },
    /** @param {string[]} signatures */
    getSignatureStatuses: (signatures) =>
      withContext(() =>
        signatures.map((signature) => {
          const landed = cluster.find(signature);
          if (!landed) return null;
          const { err, slot } = landed;
          const status = err === null ? { Ok: null } : { Err: err };
          return { err, slot, status, ...cluster.describeConfirmation(landed) };
        }),
      ),
  };
}

/** @type {Record<string, typeof getBase58Encoder | typeof getBase64Encoder>} */
const ENCODERS = { base58: getBase58Encoder, base64: getBase64Encoder };

/** @param {string} transaction @param {WireOptions} options @returns {ReadonlyUint8Array} */
const toWire = (transaction, { encoding = 'base58' }) => {
  const encoder = ENCODERS[encoding];
  if (!encoder) throw invalidParam(`unsupported encoding: ${encoding}`);
  const wire = encoder().encode(transaction);
  try {
    getTransactionDecoder().decode(wire);
    return wire;
  } catch {
    throw invalidParam('failed to deserialize the transaction');
  }
};
