import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { concatHex, encodeErrorResult, type Hex, parseAbi } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { forwardTo, HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT } from './executor-world.js';

const CONFIRMATIONS = 12;
/** Blocks: more than a turn reads of a node that serves ten at once. */
const GAP = 1_200;
const LAG = 'account_kit_inclusion_lag_blocks';
let world: ExecutorWorld;
let node: HostileNode;
/** Replaces the node's response to eth_getLogs. */
let answerLogs: ((request: NodeRequest, response: ServerResponse) => void | Promise<void>) | undefined;
/** Blocks of the answered requests for logs. */
let served: bigint[] = [];

beforeAll(async () => {
  world = await ExecutorWorld.start();
  const forward = forwardTo(world.chain.rpcUrl);
  node = await HostileNode.start((request, response) =>
    request.method === 'eth_getLogs' && answerLogs
      ? answerLogs(request, response)
      : forward(request, response),
  );
});

afterEach(async () => {
  answerLogs = undefined;
  served = [];
  await world.stopApps();
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await world.stop();
  await node.stop();
});

const startApp = () => world.startApp({ [`RPC_URL_${world.chain.chainId}`]: node.url });

/** Answers as providers with a free plan do. */
function serveTenBlocks(request: NodeRequest, response: ServerResponse) {
  const [{ fromBlock, toBlock, blockHash }] = request.params as [Record<string, Hex | undefined>];
  if (blockHash !== undefined || fromBlock === undefined || toBlock === undefined)
    return forwardTo(world.chain.rpcUrl)(request, response);
  const blocks = BigInt(toBlock) - BigInt(fromBlock) + 1n;
  if (blocks <= 10n) {
    served.push(blocks);
    return forwardTo(world.chain.rpcUrl)(request, response);
  }
  const message = 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.';
  reply(response, request.id, { error: { code: -32_600, message } });
}

async function metricValue({ managementUrl }: RunningApp, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const value = new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

async function executeElsewhere(operation: SignedUserOperation): Promise<void> {
  const hash = await world.chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeHandleOps('0.8', [operation], RECIPIENT),
  });
  await world.chain.client.waitForTransactionReceipt({ hash });
}

/** Code that reverts with the data. */
const revertingCode = (data: Hex): Hex => concatHex(['0x6064600c60003960646000fd', data]);

describe('InclusionTracker', () => {
  it('InclusionTracker: finds operations after a gap on a node that serves ten blocks of logs at once, and newer ones meanwhile', async () => {
    const first = await startApp();
    await world.chain.client.setAutomine(false);
    const [old] = await world.store(await world.sign(await world.fundedOwner()));
    if (!old) throw new Error('nothing was stored');
    await world.untilState('submitted', [old]);
    await first.stop();
    await world.chain.client.mine({ blocks: GAP });
    await world.chain.client.setAutomine(true);
    answerLogs = serveTenBlocks;
    const app = await startApp();
    await until('the metric tells the gap', async () => ((await metricValue(app, LAG)) ?? 0) > 160);
    const [newer] = await world.store(await world.sign(await world.fundedOwner()));
    if (!newer) throw new Error('nothing was stored');
    await world.untilState('included', [newer]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await world.untilState('final', [old, newer]);
    await until('the metric tells no gap', async () => (await metricValue(app, LAG)) === 0);
    expect(Math.max(...served.map(Number))).toBe(10);
  });

  it('ChainExecutorWorker: sends operations while the node serves no logs', async () => {
    answerLogs = ({ id }, response) => {
      reply(response, id, { error: { code: -32_603, message: 'internal error' } });
    };
    await startApp();
    const [first] = await world.store(await world.sign(await world.fundedOwner()));
    if (!first) throw new Error('nothing was stored');
    await world.untilState('submitted', [first]);
    const [second] = await world.store(await world.sign(await world.fundedOwner()));
    if (!second) throw new Error('nothing was stored');
    await world.untilState('submitted', [second]);
    answerLogs = undefined;
    await world.untilState('included', [first, second]);
  });

  it('InclusionTracker: records operations whose contract reverts with text that PostgreSQL does not store', async () => {
    await startApp();
    const contract = '0x00000000000000000000000000000000000bad00';
    const errors = parseAbi(['error Error(string message)']);
    const data = encodeErrorResult({ abi: errors, errorName: 'Error', args: ['a\u0000b'] });
    await world.chain.client.setCode({ address: contract, bytecode: revertingCode(data) });
    const call = { target: contract, value: 0n, data: '0x' } as const;
    const operations = await world.store(
      await world.sign(await world.fundedOwner(), [call]),
      await world.sign(await world.fundedOwner()),
    );
    const rows = await world.untilState('included', operations);
    expect(rows.map(({ success, reason }) => [success, reason])).toEqual([
      [false, 'a\uFFFDb'],
      [true, null],
    ]);
  });
});

describe('DeadOperationTracker', () => {
  it('DeadOperationTracker: rejects an operation by the event of its nonce only, and decides nothing while the node leaves it out', async () => {
    answerLogs = ({ id }, response) => {
      reply(response, id, { result: [] });
    };
    const app = await startApp();
    const owner = world.createOwner();
    const [operation] = await world.store(
      await world.sign(owner, [pay(0n)], { maxFeePerGas: 4n * 10n ** 9n }),
    );
    if (!operation) throw new Error('nothing was stored');
    await until('the operation failed its simulation', async () => {
      const [row] = await world.rows([operation.id]);
      return String(row?.['reason']).startsWith('AA21');
    });
    const other = await world.sign(owner, [pay(0n)], { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
    await executeElsewhere(other.operation);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await until('the missing event is logged', () =>
      app.logLines.some((line) => line.includes('the node has no event of the nonce')),
    );
    await world.chain.client.mine({ blocks: 1 });
    expect((await world.rows([operation.id]))[0]).toMatchObject({ state: 'signed' });
    answerLogs = serveTenBlocks;
    await until('the operation is rejected', async () => {
      await world.chain.client.mine({ blocks: 1 });
      const [row] = await world.rows([operation.id]);
      return row?.['state'] === 'rejected';
    });
    expect((await world.rows([operation.id]))[0]).toMatchObject({
      reason: 'another operation has used the nonce',
    });
  });
});
