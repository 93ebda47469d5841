import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { entryPoint08Address } from 'viem/account-abstraction';
import { rpc } from '../../scripts/local/json-rpc.mjs';
import { createPresigned } from '../support/presigned-operations.mjs';
import { fixed, median, table } from '../support/table.mjs';
import { watchUserOperations } from '../support/user-operation-events.mjs';

const ACCOUNTS = 64;
/** Below the 16 unfinished operations that an account may have, and so many that the last block weighs little. */
const OPERATIONS_PER_ACCOUNT = 12;
const ROUNDS = 3;
const BUNDLE_SIZE = 25;
const CONFIRMATIONS = 12;
const CALL = { target: '0x00000000000000000000000000000000000a11ce', value: 1n, data: '0x' };

/** Operations per second from POST to UserOperationEvent, beside signed ones that are sent to the EntryPoint directly. */
export async function operationSpeed({ rpcUrl, databaseUrl, bots, accounts }) {
  const sql = new pg.Pool({ connectionString: databaseUrl });
  try {
    const posted = await createPostedSide({ rpcUrl, bots });
    const gas = await readGas(sql);
    const presigned = await createPresignedSide({ rpcUrl, gas, from: accounts.deployer.address });
    await rpc(rpcUrl, 'evm_setIntervalMining', [1]);
    for (let count = 0; count < ROUNDS; count += 1)
      for (const side of [posted, presigned]) {
        side.rounds.push(await measure(rpcUrl, side));
        await finish(sql, rpcUrl);
      }
    const sides = [presigned, posted];
    const speed = (side) => median(side.rounds.map(({ perSecond }) => perSecond));
    const count = ACCOUNTS * OPERATIONS_PER_ACCOUNT;
    return [
      table(
        `${count} payments of ${ACCOUNTS} deployed accounts, EntryPoint 0.8, blocks of 1 s, median of ${ROUNDS} rounds (alto is not installed: no ratio to it)`,
        ['', 'operations/s', 'transactions', 'ratio'],
        sides.map((side) => [
          side.name,
          fixed(speed(side), 1),
          median(side.rounds.map(({ transactions }) => transactions.length)),
          fixed(speed(side) / speed(presigned)),
        ]),
      ),
      await gasTable(rpcUrl, posted.rounds, accounts.deployer.address),
    ].join('\n\n');
  } finally {
    await sql.end();
  }
}

/** Each client posts its account's operations one after the other. */
async function createPostedSide({ rpcUrl, bots }) {
  const funded = [];
  for (let index = 0; index < ACCOUNTS; index += 1) funded.push(await bots.fund(String(9_000 + index)));
  const deployments = await watchUserOperations(rpcUrl);
  await Promise.all(funded.map((bot) => bots.submit(bot, CALL)));
  await deployments.until(ACCOUNTS);
  const submitAll = async (bot) => {
    for (let count = 0; count < OPERATIONS_PER_ACCOUNT; count += 1) await bots.submit(bot, CALL);
  };
  return {
    name: 'POST submitUserOperation',
    rounds: [],
    prepare: async () => () => Promise.all(funded.map(submitAll)),
  };
}

/** With the gas limits and fees that the service chose, so that both sides execute the same. */
async function createPresignedSide({ rpcUrl, gas, from }) {
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
    prepare: async () => {
      const operations = [];
      for (let count = 0; count < OPERATIONS_PER_ACCOUNT; count += 1) operations.push(...(await sign()));
      return () => presigned.send(operations);
    },
  };
}

async function measure(rpcUrl, side) {
  const run = await side.prepare();
  const events = await watchUserOperations(rpcUrl);
  const started = performance.now();
  const count = ACCOUNTS * OPERATIONS_PER_ACCOUNT;
  const [, found] = await Promise.all([run(), events.until(count)]);
  const perSecond = (count * 1_000) / (performance.now() - started);
  return { perSecond, transactions: [...new Set(found.values())] };
}

/** Until no operation of the service is unfinished: an account may have only so many. */
async function finish(sql, rpcUrl) {
  await rpc(rpcUrl, 'anvil_mine', [`0x${(CONFIRMATIONS + 1).toString(16)}`]);
  const unfinished = `SELECT 1 FROM account_kit.user_operations WHERE state NOT IN ('final', 'reverted') LIMIT 1`;
  while ((await sql.query(unfinished)).rowCount > 0) await sleep(100);
}

async function readGas(sql) {
  const { rows } = await sql.query(
    `SELECT call_gas_limit, verification_gas_limit, pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas
     FROM account_kit.user_operations LIMIT 1`,
  );
  const [row] = rows;
  return {
    callGasLimit: BigInt(row.call_gas_limit),
    verificationGasLimit: BigInt(row.verification_gas_limit),
    preVerificationGas: BigInt(row.pre_verification_gas),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
  };
}

/** The bundle whose size is nearest to the wanted one, beside the same bytes from another account on the same state. */
async function gasTable(rpcUrl, rounds, from) {
  const bundles = [];
  for (const hash of rounds.flatMap(({ transactions }) => transactions)) {
    const receipt = await rpc(rpcUrl, 'eth_getTransactionReceipt', [hash]);
    const operations = receipt.logs.filter(({ topics }) => topics.length === 4).length;
    if (Number(receipt.transactionIndex) === 0) bundles.push({ receipt, operations });
  }
  const distance = ({ operations }) => Math.abs(operations - BUNDLE_SIZE);
  const [{ receipt, operations }] = bundles.sort((one, other) => distance(one) - distance(other));
  const { input } = await rpc(rpcUrl, 'eth_getTransactionByHash', [receipt.transactionHash]);
  const before = `0x${(Number(receipt.blockNumber) - 1).toString(16)}`;
  const call = { from, to: entryPoint08Address, input };
  const [{ calls }] = await rpc(rpcUrl, 'eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, before]);
  const bare = Number(calls[0].gasUsed) / operations;
  const own = Number(receipt.gasUsed) / operations;
  return table(
    `Gas of a payment in a bundle of ${operations} (wanted: at most 1.03)`,
    ['', 'gas', 'ratio'],
    [
      ['bare handleOps of the same bytes', fixed(bare, 0), fixed(1)],
      ["the executor's transaction", fixed(own, 0), fixed(own / bare, 3)],
    ],
  );
}
