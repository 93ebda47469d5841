import { setTimeout as sleep } from 'node:timers/promises';
import { entryPoint08Address, getUserOperationTypedData } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { importBuilt } from '../../scripts/build/import-built.mjs';
import { rpc } from '../../scripts/chain/json-rpc.mjs';
import { CHAIN_ID } from './account-kit-suite.mjs';

/** @import { Address, Hex, PrivateKeyAccount } from 'viem' */
/** @typedef {{ account: PrivateKeyAccount, address: Address }} Owner of a smart account */
/** @typedef {Record<'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas' | 'maxFeePerGas' | 'maxPriorityFeePerGas', bigint>} Gas */
/** @typedef {import('../../apps/account-kit/src/evm/operations/user-operation.js').UserOperationFields} BuiltOperation */
/** @typedef {import('../../apps/account-kit/src/evm/operations/user-operation.js').SignedUserOperation} SignedOperation */
/** @typedef {{ target: Address, value: bigint, data: Hex }} Call */
/** @typedef {{ key?: bigint, sequence: bigint, call: Call, gas: Gas }} Content */
/** @typedef {Awaited<ReturnType<typeof createPresigned>>} Presigned */
/** @typedef {{ from: Address, to: Address, data: Hex, gas: Hex }} Transaction */
/** @typedef {{ transaction: Transaction, hash: string }} Sent */

const VERSION = '0.8';
const FUNDS = `0x${(10n ** 21n).toString(16)}`;
const DEPLOYMENT_GAS = 400_000n;
const POLL_MS = 200;

/**
 * Smart accounts whose owners sign here, and a sender of their bundles without any service between.
 * @param {{ rpcUrl: string, from: Address, bundleSize: number }} options
 */
export async function createPresigned({ rpcUrl, from, bundleSize }) {
  const { smartAccountAddress, encodeCreateAccount } =
    /** @type {typeof import('../../apps/account-kit/src/evm/accounts/account-address.js')} */ (
      await importBuilt('apps/account-kit/src/evm/accounts/account-address.js')
    );
  const { encodeExecute } =
    /** @type {typeof import('../../apps/account-kit/src/evm/operations/encode-execute.js')} */ (
      await importBuilt('apps/account-kit/src/evm/operations/encode-execute.js')
    );
  const { encodeHandleOps, packNonce } =
    /** @type {typeof import('../../apps/account-kit/src/evm/operations/user-operation.js')} */ (
      await importBuilt('apps/account-kit/src/evm/operations/user-operation.js')
    );

  /** @param {Owner} owner @param {Content} content @returns {BuiltOperation} */
  const build = ({ account, address }, { key = 0n, sequence, call, gas }) => {
    /** @type {{ owner: Address, salt: bigint, version: typeof VERSION }} */
    const deployment = { owner: account.address, salt: 0n, version: VERSION };
    const deploys = key === 0n && sequence === 0n;
    return {
      sender: address,
      nonce: packNonce({ key, sequence }),
      ...(deploys ? encodeCreateAccount(deployment) : {}),
      callData: encodeExecute(VERSION, [call]),
      ...gas,
      ...(deploys ? { verificationGasLimit: gas.verificationGasLimit + DEPLOYMENT_GAS } : {}),
    };
  };
  /** @param {Owner} owner @param {BuiltOperation} operation @returns {Promise<SignedOperation>} */
  const signBuilt = async ({ account }, operation) => {
    const typed = getUserOperationTypedData({
      chainId: CHAIN_ID,
      entryPointAddress: entryPoint08Address,
      userOperation: { ...operation, signature: '0x' },
    });
    return { ...operation, signature: await account.signTypedData(typed) };
  };

  return {
    build,
    signBuilt,
    /** @param {Owner} owner @param {Content} content */
    sign: (owner, content) => signBuilt(owner, build(owner, content)),
    /** @returns {Promise<Owner>} */
    async createOwner() {
      const account = privateKeyToAccount(generatePrivateKey());
      const address = smartAccountAddress({ owner: account.address, salt: 0n, version: VERSION });
      await rpc(rpcUrl, 'anvil_setBalance', [address, FUNDS]);
      return { account, address };
    },
    /** Sends them in bundles, one right after the other, and waits until all are mined. @param {SignedOperation[]} operations */
    async send(operations) {
      /** @type {Transaction[]} */
      const transactions = [];
      for (let at = 0; at < operations.length; at += bundleSize) {
        const bundle = operations.slice(at, at + bundleSize);
        const gas = bundle.reduce((sum, one) => sum + gasOf(one), 100_000n);
        const data = encodeHandleOps(VERSION, bundle, from);
        transactions.push({ from, to: entryPoint08Address, data, gas: `0x${gas.toString(16)}` });
      }
      /** @type {Sent[]} */
      let waiting = [];
      for (const transaction of transactions) waiting.push(await sendTransaction(rpcUrl, transaction));
      while (waiting.length > 0) {
        await sleep(POLL_MS);
        const followed = await Promise.all(waiting.map((sent) => follow(rpcUrl, sent)));
        waiting = followed.filter((sent) => sent !== undefined);
      }
    },
  };
}

/** @param {string} rpcUrl @param {Transaction} transaction @returns {Promise<Sent>} */
const sendTransaction = async (rpcUrl, transaction) => ({
  transaction,
  hash: await rpc(rpcUrl, 'eth_sendTransaction', [transaction]),
});

/**
 * anvil forgets a transaction now and then that arrives while it mines.
 * @param {string} rpcUrl
 * @param {Sent} sent
 * @returns {Promise<Sent | undefined>} what to follow; undefined once it is mined
 */
async function follow(rpcUrl, sent) {
  /** @type {{ blockHash: string | null } | null} */
  const found = await rpc(rpcUrl, 'eth_getTransactionByHash', [sent.hash]);
  if (found === null) return sendTransaction(rpcUrl, sent.transaction);
  return found.blockHash === null ? sent : undefined;
}

/** @param {Gas} gas */
const gasOf = ({ callGasLimit, verificationGasLimit, preVerificationGas }) =>
  callGasLimit + verificationGasLimit + preVerificationGas;
