import { entryPoint08Address, formatUserOperationRequest } from 'viem/account-abstraction';
import { setTimeout as sleep } from 'node:timers/promises';
import { altoCommand } from '../../scripts/chain/alto/command.mjs';
import { rpc } from '../../scripts/chain/json-rpc.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { findTool } from '../../scripts/build/tools.mjs';
import { pidOf } from '../support/account-kit-suite.mjs';
import { createPresigned } from '../support/presigned-operations.mjs';
import { watchUserOperations } from '../support/user-operation-events.mjs';
import { ACCOUNTS, BUNDLE_SIZE, CALL, OPERATIONS_PER_ACCOUNT } from './own-sides.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */
/** @import { Hex } from 'viem' */
/** @import { Owner, Presigned, Gas, BuiltOperation, SignedOperation } from '../support/presigned-operations.mjs' */
/** @import { Run, Side } from './own-sides.mjs' */
/** @typedef {{ url: string, clients: Presigned, gas: Gas, owners: Owner[] }} Clients */

const START_MS = 60_000;
/** The time without progress after which alto counts as done: it drops operations when its bundles fail. */
const QUIET_MS = 20_000;
/** With 64 clients at a time, an answer may take seconds. */
const PATIENT = { timeoutMs: 60_000 };
/** As many operations of a sender and in a bundle as the other sides have. */
const LIMITS = [
  ...['--mempool-max-queued-ops', String(OPERATIONS_PER_ACCOUNT)],
  ...['--mempool-max-parallel-ops', String(OPERATIONS_PER_ACCOUNT)],
  ...['--enforce-unique-senders-per-bundle', 'false', '--mempool-pop-batch-size', String(BUNDLE_SIZE)],
];
/** A signature of the right form, with a low s: an estimation does not check more. @type {Hex} */
const PLACEHOLDER = `0x${'ff'.repeat(15)}f0${'00'.repeat(16)}7a${'aa'.repeat(31)}1c`;

/**
 * alto as its clients use it: each estimates, signs and sends; and with signed operations.
 * @param {Children} children
 * @param {{ rpcUrl: string, gas: Gas, anvil: number }} options `anvil` is the id of its process
 * @returns {Promise<{ estimated: Side, presigned: Side } | undefined>} undefined if it is not installed
 */
export async function createAltoSides(children, { rpcUrl, gas, anvil }) {
  const folder = findTool('alto');
  if (folder === undefined) return undefined;
  const port = await freePort();
  const { args, cwd, env } = await altoCommand({ folder, rpcUrl, port, more: LIMITS });
  const child = children.startGuarded('alto', { command: process.execPath, args, cwd }, env);
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(url);
  const clients = await createPresigned({ rpcUrl, from: entryPoint08Address, bundleSize: BUNDLE_SIZE });
  /** @param {string} name @param {(owners: Owner[]) => () => Promise<Run>} prepare @returns {Promise<Side>} */
  const side = async (name, prepare) => {
    const owners = await Promise.all(Array.from({ length: ACCOUNTS }, () => clients.createOwner()));
    const deployments = await watchUserOperations(rpcUrl);
    for (const owner of owners) await send(url, await clients.sign(owner, { sequence: 0n, call: CALL, gas }));
    await deployments.until(ACCOUNTS);
    return {
      name,
      quietMs: QUIET_MS,
      rounds: [],
      processes: { alto: pidOf(child), anvil },
      prepare: prepare(owners),
    };
  };
  return {
    estimated: await side('alto, estimated and sent', (owners) =>
      prepareEstimated({ url, clients, gas, owners }),
    ),
    presigned: await side('alto, signed before', (owners) => preparePresigned({ url, clients, gas, owners })),
  };
}

/**
 * Each client estimates, signs and sends its account's operations one after the other.
 * @param {Clients} options
 * @returns {() => Promise<Run>}
 */
function prepareEstimated({ url, clients, gas, owners }) {
  const nextKeys = createKeys();
  return () => {
    const keys = nextKeys();
    /** @param {Owner} owner */
    const submitAll = async (owner) => {
      for (const key of keys) {
        const operation = clients.build(owner, { key, sequence: 0n, call: CALL, gas });
        const estimate = await estimateGas(url, operation);
        await send(url, await clients.signBuilt(owner, { ...operation, ...estimate }));
      }
    };
    return Promise.resolve(() => Promise.all(owners.map(submitAll)));
  };
}

/** Each client sends its account's operations one after the other. @param {Clients} options @returns {() => Promise<Run>} */
function preparePresigned({ url, clients, gas, owners }) {
  const nextKeys = createKeys();
  return async () => {
    const keys = nextKeys();
    /** @type {SignedOperation[][]} */
    const signed = [];
    for (const owner of owners) {
      /** @type {SignedOperation[]} */
      const operations = [];
      for (const key of keys)
        operations.push(await clients.sign(owner, { key, sequence: 0n, call: CALL, gas }));
      signed.push(operations);
    }
    /** @param {SignedOperation[]} operations */
    const sendAll = async (operations) => {
      for (const operation of operations) await send(url, operation);
    };
    return () => Promise.all(signed.map(sendAll));
  };
}

/** A nonce key for each operation: alto refuses the next one of a key while it sends the one before. */
function createKeys() {
  let next = 1n;
  return () => Array.from({ length: OPERATIONS_PER_ACCOUNT }, () => next++);
}

/** @param {string} url @param {BuiltOperation} operation */
async function estimateGas(url, operation) {
  const request = formatUserOperationRequest({ ...operation, signature: PLACEHOLDER });
  /** @type {{ callGasLimit: Hex, verificationGasLimit: Hex, preVerificationGas: Hex }} */
  const estimate = await rpc(url, 'eth_estimateUserOperationGas', [request, entryPoint08Address], PATIENT);
  return {
    callGasLimit: BigInt(estimate.callGasLimit),
    verificationGasLimit: BigInt(estimate.verificationGasLimit),
    preVerificationGas: BigInt(estimate.preVerificationGas),
  };
}

/** @param {string} url @param {SignedOperation} operation */
const send = (url, operation) =>
  rpc(url, 'eth_sendUserOperation', [formatUserOperationRequest(operation), entryPoint08Address], PATIENT);

/** @param {string} url */
async function untilHealthy(url) {
  const deadline = performance.now() + START_MS;
  for (;;) {
    const isHealthy = await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    if (performance.now() > deadline) throw new Error('alto is not ready');
    await sleep(100);
  }
}
