import {
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { matchesFilter, toAddress, toJsonAccount, toJsonKeyedAccount } from './account-json.mjs';
import { invalidParam, RpcError } from './rpc-error.mjs';
import { toJsonTransaction } from './transaction-json.mjs';
import { getTokenAccountBalance, getTokenSupply, listTokenAccounts } from './token-accounts.mjs';

/** Of devnet, whose chain id the local profile gives to this cluster. */
const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const SLOTS_PER_EPOCH = 432_000n;
const LAMPORTS_PER_SIGNATURE = 5_000;
const MAX_ACCOUNTS = 100;

/**
 * The JSON-RPC methods of a Solana node (https://solana.com/docs/rpc/http) that clients of a local cluster need.
 * Each commitment reads the newest state. Accounts are encoded as base64 or base58.
 * @param {import('./cluster.mjs').SolanaCluster} cluster
 * @returns {Record<string, (...params: any[]) => unknown>}
 */
export function createRpcMethods(cluster) {
  const { svm } = cluster;
  const now = () => cluster.advance();

  const withContext = (value, { minContextSlot } = {}) => {
    const slot = now();
    if (minContextSlot !== undefined && BigInt(minContextSlot) > slot)
      throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
    return { context: { apiVersion: '3.0.0', slot }, value: value() };
  };

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
    getLatestBlockhash: (options) => withContext(() => cluster.latestBlockhash(), options),
    isBlockhashValid: (blockhash, options) => withContext(() => cluster.isValid(blockhash), options),
    getMinimumBalanceForRentExemption: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    getFeeForMessage: (message, options) =>
      withContext(() => {
        const { header } = getCompiledTransactionMessageDecoder().decode(getBase64Encoder().encode(message));
        return header.numSignerAccounts * LAMPORTS_PER_SIGNATURE;
      }, options),
    getBalance: (address, options) => withContext(() => svm.getBalance(toAddress(address)) ?? 0n, options),
    getAccountInfo: (address, options) => withContext(() => getAccount(toAddress(address), options), options),
    getMultipleAccounts: (addresses, options) => {
      if (addresses.length > MAX_ACCOUNTS)
        throw invalidParam(`Too many inputs provided; max ${MAX_ACCOUNTS}`);
      return withContext(() => addresses.map((address) => getAccount(toAddress(address), options)), options);
    },
    getProgramAccounts: (program, options = {}) => {
      const matching = () =>
        svm
          .getProgramAccounts(toAddress(program))
          .filter(({ data }) => (options.filters ?? []).every((filter) => matchesFilter(data, filter)))
          .map((account) => toJsonKeyedAccount(account, options));
      const result = withContext(matching, options);
      return options.withContext ? result : result.value;
    },
    getTokenAccountsByOwner: (owner, filter, options) =>
      withContext(() => {
        const accounts = listTokenAccounts(svm, toAddress(owner), filter);
        return accounts.map((account) => toJsonKeyedAccount(account, options));
      }, options),
    getTokenAccountBalance: (address, options) =>
      withContext(() => getTokenAccountBalance(svm, address), options),
    getTokenSupply: (mint, options) => withContext(() => getTokenSupply(svm, mint), options),
    requestAirdrop: (address, lamports) => {
      now();
      const result = svm.airdrop(toAddress(address), BigInt(lamports));
      return getBase58Decoder().decode(('meta' in result ? result.meta() : result).signature());
    },
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
    getTransaction: (signature, { encoding = 'json' } = {}) => {
      now();
      if (encoding !== 'json') throw invalidParam(`${encoding} is not supported`);
      const landed = cluster.find(signature);
      return landed ? toJsonTransaction(svm, landed) : null;
    },
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

const toWire = (transaction, { encoding = 'base58' }) => {
  const encoder = { base58: getBase58Encoder, base64: getBase64Encoder }[encoding];
  if (!encoder) throw invalidParam(`unsupported encoding: ${encoding}`);
  const wire = encoder().encode(transaction);
  try {
    getTransactionDecoder().decode(wire);
    return wire;
  } catch {
    throw invalidParam('failed to deserialize the transaction');
  }
};
