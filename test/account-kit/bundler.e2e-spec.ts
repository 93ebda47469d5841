import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Hex } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { concatHex, encodeFunctionData, numberToHex, padHex } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { HostileNode, type NodeBehaviour, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { ExecutorWorld, pay, RECIPIENT } from './executor-world.js';

type RpcOperation = Record<
  | 'sender'
  | 'nonce'
  | 'factory'
  | 'factoryData'
  | 'callData'
  | 'callGasLimit'
  | 'verificationGasLimit'
  | 'preVerificationGas'
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'signature',
  Hex
>;

const HOUR_MS = 60 * 60_000;

const awayBundler: NodeBehaviour = (_, response) => void response.writeHead(502).end();

let world: ExecutorWorld;
let bundler: HostileNode;
let behaviour = awayBundler;

// One app goes through all but the last test.
beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = await HostileNode.start((request, response) => behaviour(request, response));
  await startApp();
});

afterEach(async () => {
  behaviour = awayBundler;
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await world.stop();
  await bundler.stop();
});

let previous: Promise<unknown> = Promise.resolve();

/** Executes each operation in a transaction of its own, one after another, because they share a nonce. */
function execute(operation: RpcOperation): Promise<void> {
  const executed = previous.then(() => sendHandleOps(operation));
  previous = executed;
  return executed;
}

async function sendHandleOps(operation: RpcOperation): Promise<void> {
  const words = (high: Hex, low: Hex): Hex =>
    concatHex([padHex(high, { size: 16 }), padHex(low, { size: 16 })]);
  const packed = {
    sender: operation.sender,
    nonce: BigInt(operation.nonce),
    initCode: (operation.factory as Hex | undefined)
      ? concatHex([operation.factory, operation.factoryData])
      : ('0x' as const),
    callData: operation.callData,
    accountGasLimits: words(operation.verificationGasLimit, operation.callGasLimit),
    preVerificationGas: BigInt(operation.preVerificationGas),
    gasFees: words(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
    paymasterAndData: '0x' as const,
    signature: operation.signature,
  };
  const hash = await world.chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [[packed], RECIPIENT],
    }),
  });
  await world.chain.client.waitForTransactionReceipt({ hash });
}

const startApp = (env: Record<string, string> = {}) =>
  world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: bundler.url, ...env });

interface FirstAnswer {
  readonly isExecuted: boolean;
  readonly answer: (response: ServerResponse, id: number) => void;
}

const refuse =
  (error: { readonly code: number; readonly message: string }): FirstAnswer['answer'] =>
  (response, id) => {
    reply(response, id, { error });
  };

/** What a bundler may do with an operation that it gets for the first time. */
const FIRST_ANSWERS: readonly FirstAnswer[] = [
  { isExecuted: true, answer: (response) => response.destroy() },
  // No answer before the time-out.
  { isExecuted: true, answer: () => undefined },
  { isExecuted: true, answer: (response) => response.end('<html>') },
  { isExecuted: true, answer: refuse(ALTO_ERRORS.sentTwice) },
  { isExecuted: true, answer: refuse(ALTO_ERRORS.includedDeployment) },
  { isExecuted: true, answer: refuse(ALTO_ERRORS.included) },
  { isExecuted: false, answer: (response) => response.writeHead(429).end() },
  // alto answers failures of its node without a code.
  {
    isExecuted: false,
    answer: (response) => response.writeHead(500).end('{"error":{"message":"HTTP request failed"}}'),
  },
  { isExecuted: false, answer: refuse(ALTO_ERRORS.unfunded) },
  { isExecuted: false, answer: refuse(ALTO_ERRORS.sponsorExpired) },
];

describe('a chain with a bundler', () => {
  it('gets operations in the order of their lanes, and they are final like others', async () => {
    const received: RpcOperation[] = [];
    behaviour = async ({ id, params }, response) => {
      const [operation] = params as [RpcOperation];
      received.push(operation);
      await execute(operation);
      reply(response, id, { result: numberToHex(received.length, { size: 32 }) });
    };
    const owner = await world.fundedOwner();
    const operations = await world.store(
      await world.sign(owner, [pay(1n)]),
      await world.sign(owner, [pay(2n)], { sequence: 1n }),
      await world.sign(await world.fundedOwner()),
    );
    await world.untilState('included', operations);
    expect(received).toHaveLength(3);
    expect(await world.transactions()).toEqual([]);
    await world.chain.client.mine({ blocks: 12 });
    await world.untilState('final', operations);
  });

  it("gets nothing after the end of a sponsor's signature, and the operation expires", async () => {
    const payments: RpcOperation[] = [];
    behaviour = async ({ id, params }, response) => {
      const [operation] = params as [RpcOperation];
      // A cancellation, which frees the lane, calls nothing.
      if (operation.callData === '0x') await execute(operation);
      else payments.push(operation);
      reply(response, id, { result: numberToHex(1, { size: 32 }) });
    };
    const validUntil = new Date(Date.now() + HOUR_MS);
    const owner = await world.fundedOwner();
    const [operation] = await world.store(await world.sign(owner, [pay(1n)], { validUntil }));
    if (!operation) throw new Error('nothing was stored');
    await world.untilState('submitted', [operation]);
    await until('the bundler has it', () => Promise.resolve(payments.length === 1));
    // Due again at once, in the same transaction in which the signature ends.
    await world.pool.query(
      `WITH ended AS (UPDATE account_kit.user_operations SET valid_until = now() - interval '1 hour' WHERE id = $1)
       UPDATE account_kit.bundler_submissions SET next_attempt_at = now() WHERE operation_id = $1`,
      [operation.id],
    );
    await world.chain.client.mine({ blocks: 12 });
    const [row] = await world.untilState('expired', [operation]);
    expect(row).toMatchObject({ reason: 'the signature of the sponsor has ended' });
    expect(payments).toHaveLength(1);
    // Nothing of this test is sent to the bundler of the next one.
    await until('the lane is free', async () => {
      await world.chain.client.mine({ blocks: 12 });
      const { rows } = await world.pool.query<{ state: string }>(
        "SELECT state FROM account_kit.user_operations WHERE kind = 'cancellation'",
      );
      return rows.length === 1 && rows[0]?.state === 'final';
    });
  });

  it('gets the same bytes again after a failure, and keeps why the bundler refuses an operation', async () => {
    let attempts = 0;
    let isRefusalStored = false;
    let executed: Promise<void> | undefined;
    const bodies = new Set<string>();
    behaviour = async ({ id, params }, response) => {
      attempts += 1;
      bodies.add(JSON.stringify(params));
      const [operation] = params as [RpcOperation];
      if (attempts === 1) {
        response.writeHead(502).end();
        return;
      }
      if (!isRefusalStored) {
        reply(response, id, { error: ALTO_ERRORS.unfunded });
        return;
      }
      await (executed ??= execute(operation));
      reply(response, id, { error: ALTO_ERRORS.sentTwice });
    };
    const [operation] = await world.store(await world.sign(await world.fundedOwner()));
    if (!operation) throw new Error('nothing was stored');
    await until('the refusal is stored', async () => {
      const [row] = await world.rows([operation.id]);
      return row?.['state'] === 'signed' && row['reason'] === ALTO_ERRORS.unfunded.message;
    });
    isRefusalStored = true;
    await world.untilState('included', [operation]);
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(bodies.size).toBe(1);
  });

  it.each([1, 12])(
    'T194: gets the same bytes again after a reorganisation of %i blocks in which the operation vanished',
    async (depth) => {
      const recipient = padHex(numberToHex(0xfeed_00 + depth), { size: 20 });
      const { client } = world.chain;
      const received = () => client.getBalance({ address: recipient });
      const bodies: string[] = [];
      let isAway = false;
      behaviour = async ({ id, params }, response) => {
        const [operation] = params as [RpcOperation];
        if (isAway) {
          response.writeHead(502).end();
          return;
        }
        bodies.push(JSON.stringify(params));
        if ((await received()) > 0n) {
          reply(response, id, { error: ALTO_ERRORS.included });
          return;
        }
        await execute(operation);
        reply(response, id, { result: numberToHex(bodies.length, { size: 32 }) });
      };
      const owner = await world.fundedOwner();
      // The funds are in a block that stays.
      await client.mine({ blocks: 2 });
      const operations = await world.store(
        await world.sign(owner, [{ target: recipient, value: 1n, data: '0x' }]),
      );
      const [before] = await world.untilState('included', operations);
      await client.mine({ blocks: depth - 1 > 0 ? depth - 2 : 0 });
      const sent = bodies.length;

      isAway = true;
      await client.setAutomine(false);
      await client.request({ method: 'anvil_reorg', params: [depth, []] } as never);
      await client.request({ method: 'anvil_dropAllTransactions' } as never);
      expect(await received()).toBe(0n);
      const [lost] = await world.untilState('submitted', operations);
      expect(lost).toMatchObject({ success: null, block_hash: null, receipt: null });
      await client.setAutomine(true);
      await client.mine({ blocks: 1 });
      isAway = false;

      const [after] = await world.untilState('included', operations);
      expect(after?.['block_hash']).not.toBe(before?.['block_hash']);
      expect(bodies.length).toBeGreaterThan(sent);
      expect(new Set(bodies).size).toBe(1);
      await client.mine({ blocks: 12 });
      await world.untilState('final', operations);
      expect(await received()).toBe(1n);
    },
  );

  it('executes every operation once, whatever it answers', async () => {
    await world.stopApps();
    const executed: string[] = [];
    const known = new Map<string, FirstAnswer>();
    behaviour = async ({ id, params }, response) => {
      const [operation] = params as [RpcOperation];
      const first = known.has(operation.sender) ? undefined : FIRST_ANSWERS[known.size];
      if (first) known.set(operation.sender, first);
      const isNew = !executed.includes(operation.sender);
      if (isNew && first?.isExecuted !== false) {
        executed.push(operation.sender);
        await execute(operation);
      }
      if (first) first.answer(response, id);
      else if (isNew) reply(response, id, { result: numberToHex(1, { size: 32 }) });
      else reply(response, id, { error: ALTO_ERRORS.includedDeployment });
    };
    const signed = [];
    for (const _ of FIRST_ANSWERS) signed.push(await world.sign(await world.fundedOwner()));
    const operations = await world.store(...signed);
    await startApp({ RPC_TIMEOUT_MS: '1000' });
    await world.untilState('included', operations);
    expect(executed.toSorted()).toEqual(operations.map(({ owner }) => owner.address).toSorted());
    await world.chain.client.mine({ blocks: 12 });
    await world.untilState('final', operations);
  });
});
