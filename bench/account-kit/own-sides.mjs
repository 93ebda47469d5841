import { createPresigned } from '../support/presigned-operations.mjs';
import { watchUserOperations } from '../support/user-operation-events.mjs';

/** @import { Address, Hex } from 'viem' */
/** @import { AccountKitSuite, Bot, Bots } from '../support/account-kit-suite.mjs' */
/** @import { Gas, SignedOperation } from '../support/presigned-operations.mjs' */
/** @typedef {() => Promise<unknown>} Run sends the operations of a round */
/** @typedef {{ perSecond: number, lost: number, processor: Record<string, number>, transactions: string[] }} Round */
/**
 * @typedef {object} Side
 * @property {string} name
 * @property {number} [quietMs] the round ends when nothing was included for this time: some may be lost
 * @property {Round[]} rounds
 * @property {Record<string, number>} processes ids of what works for an operation
 * @property {() => Promise<Run>} prepare
 */

export const ACCOUNTS = 64;
/**
 * Operations of one account: below the 16 unfinished ones that an account may have, and so many that the last block
 * weighs little.
 */
export const OPERATIONS_PER_ACCOUNT = 12;
export const BUNDLE_SIZE = 25;
/** @type {{ target: Address, value: bigint, data: Hex }} */
export const CALL = { target: '0x00000000000000000000000000000000000a11ce', value: 1n, data: '0x' };

/**
 * Each client posts its account's operations one after the other.
 * @param {Pick<AccountKitSuite, 'rpcUrl' | 'processes'>} suite
 * @param {{ name: string, bots: Bots, firstId: number }} options
 * @returns {Promise<Side>}
 */
export async function createPostedSide({ rpcUrl, processes }, { name, bots, firstId }) {
  /** @type {Bot[]} */
  const funded = [];
  for (let index = 0; index < ACCOUNTS; index += 1) funded.push(await bots.fund(String(firstId + index)));
  const deployments = await watchUserOperations(rpcUrl);
  await Promise.all(funded.map((bot) => bots.submit(bot, CALL)));
  await deployments.until(ACCOUNTS);
  // The first payment of a deployed account is part of no measurement.
  const payments = await watchUserOperations(rpcUrl);
  await Promise.all(funded.map((bot) => bots.submit(bot, CALL)));
  await payments.until(ACCOUNTS);
  /** @param {Bot} bot */
  const submitAll = async (bot) => {
    for (let count = 0; count < OPERATIONS_PER_ACCOUNT; count += 1) await bots.submit(bot, CALL);
  };
  return {
    name,
    rounds: [],
    processes,
    prepare: () => Promise.resolve(() => Promise.all(funded.map(submitAll))),
  };
}

/**
 * Creates a side that sends signed operations, with the gas limits and fees that the service chose, so that both sides
 * execute the same.
 * @param {{ rpcUrl: string, gas: Gas, from: Address }} options
 * @returns {Promise<Side>}
 */
export async function createPresignedSide({ rpcUrl, gas, from }) {
  const presigned = await createPresigned({ rpcUrl, from, bundleSize: BUNDLE_SIZE });
  const owners = await Promise.all(Array.from({ length: ACCOUNTS }, () => presigned.createOwner()));
  let sequence = 0n;
  const sign = () =>
    Promise.all(owners.map((owner) => presigned.sign(owner, { sequence, call: CALL, gas }))).finally(
      () => (sequence += 1n),
    );
  const deployments = await watchUserOperations(rpcUrl);
  await presigned.send(await sign());
  await deployments.until(ACCOUNTS);
  return {
    name: `signed before, handleOps of ${BUNDLE_SIZE}`,
    rounds: [],
    processes: {},
    prepare: async () => {
      /** @type {SignedOperation[]} */
      const operations = [];
      for (let count = 0; count < OPERATIONS_PER_ACCOUNT; count += 1) operations.push(...(await sign()));
      return () => presigned.send(operations);
    },
  };
}
