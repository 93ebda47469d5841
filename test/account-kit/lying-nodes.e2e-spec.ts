import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { encodeAbiParameters, type Hex, keccak256, numberToHex, pad, toHex } from 'viem';
import { encodeEventTopics } from 'viem/utils';
import { SECOND_MS } from '@app/common';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { encodeHandleOps } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { USER_OPERATION_EVENT } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import {
  forwardTo,
  HostileNode,
  type NodeRequest,
  reply,
  withHugeReceipts,
} from '../support/hostile-node.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const CONFIRMATIONS = 12;
/** Blocks by which a node claims to be ahead. */
const LEAD = 5_000n;
const FUNDS = 10n ** 18n;
/** Fees above what an account without funds can pay. */
const UNPAID = { maxFeePerGas: 4n * 10n ** 9n };
const GET_NONCE = '0x35567e1a';
const DISAGREE = 'nodes of the chain disagree about the nonce of the operation';
const DISAGREE_ABOUT_EVENT = 'nodes of the chain disagree about the event of the operation';

let world: ExecutorWorld;
const nodes: HostileNode[] = [];

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(async () => {
  await world.stopApps();
  for (const node of nodes.splice(0)) await node.stop();
});

afterAll(() => world.stop());

type Behaviour = Parameters<typeof HostileNode.start>[0];

async function serve(behaviour: Behaviour): Promise<string> {
  const node = await HostileNode.start(behaviour);
  nodes.push(node);
  return node.url;
}

const startApp = (...urls: readonly string[]): Promise<RunningApp> =>
  world.startApp({ [`RPC_URL_${world.chain.chainId}`]: urls.join() });

async function storeOne(signed: Awaited<ReturnType<ExecutorWorld['sign']>>): Promise<StoredOperation> {
  const [stored] = await world.store(signed);
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

interface InventedBlocks {
  readonly lead: bigint;
  /** How far the clock of the invented blocks is ahead. */
  readonly seconds: number;
}

/** Claims to be ahead, has blocks up to there, and knows of no log and of no receipt. */
const inventAhead =
  ({ lead, seconds }: InventedBlocks): Behaviour =>
  async (request, response) => {
    const { id, method, params = [] } = request as Partial<NodeRequest>;
    const newest = await world.chain.client.getBlockNumber();
    if (method === 'eth_blockNumber') reply(response, id, { result: numberToHex(newest + lead) });
    else if (method === 'eth_getLogs') reply(response, id, { result: [] });
    else if (method === 'eth_getTransactionReceipt') reply(response, id, { result: null });
    else {
      const isOfFuture = (tag: unknown): tag is string =>
        tag === 'latest' ||
        (typeof tag === 'string' && /^0x[0-9a-f]{1,16}$/.test(tag) && BigInt(tag) > newest);
      const shown = params.map((param) => (isOfFuture(param) ? 'latest' : param));
      const number = shown.includes('latest') ? params.find(isOfFuture) : undefined;
      if (method === 'eth_getBlockByNumber' && number !== undefined)
        return forwardTo(world.chain.rpcUrl, (answer) => {
          const height = number === 'latest' ? numberToHex(newest + lead) : number;
          const { result, ...rest } = JSON.parse(answer) as { result: { timestamp: Hex } };
          const timestamp = numberToHex(BigInt(result.timestamp) + BigInt(seconds));
          return JSON.stringify({
            ...rest,
            result: { ...result, timestamp, number: height, hash: keccak256(toHex(height)) },
          });
        })({ ...request, params: ['latest', false] }, response);
      return forwardTo(world.chain.rpcUrl)({ ...request, params: shown }, response);
    }
  };
const inventBlocks = inventAhead({ lead: LEAD, seconds: 0 });

/** Tells of each nonce, asked at a block, that an operation has used it, and has the event of it. */
const inventUses =
  (operationHash?: Hex): Behaviour =>
  async (request, response) => {
    const { id, method, params = [] } = request as Partial<NodeRequest>;
    const [first = {}, block] = params as [{ data?: Hex; topics?: Hex[]; toBlock?: Hex }?, unknown?];
    if (method === 'eth_call' && first.data?.startsWith(GET_NONCE) && block !== 'latest')
      reply(response, id, { result: pad('0x1', { size: 32 }) });
    else if (method === 'eth_getLogs' && first.topics?.[2] && first.toBlock !== undefined)
      reply(response, id, {
        result: [await inventEvent(first.topics[2], first.toBlock, operationHash)],
      });
    else await forwardTo(world.chain.rpcUrl)(request, response);
  };

async function inventEvent(sender: Hex, blockNumber: Hex, operationHash: Hex = pad('0xbad', { size: 32 })) {
  const { hash } = await world.chain.client.getBlock({ blockNumber: BigInt(blockNumber) });
  const [signature] = encodeEventTopics({ abi: [USER_OPERATION_EVENT] });
  const types = [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }] as const;
  return {
    address: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    topics: [signature, operationHash, sender, pad('0x0', { size: 32 })],
    data: encodeAbiParameters(types, [0n, true, 1n, 1n]),
    blockNumber,
    blockHash: hash,
    transactionHash: pad('0xbad', { size: 32 }),
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  };
}

/** The data of an operation's event, whose second word is whether the call succeeded. */
const toSuccess = (data: Hex): Hex => `${data.slice(0, 66)}${'1'.padStart(64, '0')}${data.slice(130)}` as Hex;

/** Mines blocks meanwhile: what failed for a block is tried again with a later one. */
async function untilMined(operations: readonly StoredOperation[], state: string): Promise<void> {
  const areAll = async () => {
    await world.chain.client.mine({ blocks: 1 });
    return (await world.rows(operations.map(({ id }) => id))).every((row) => row['state'] === state);
  };
  await until(`${operations.length} operations are ${state}`, areAll, 100_000);
}

/**
 * Mines blocks meanwhile, because each operation is looked at once for a block. A node that was slow once is asked last for a minute, in which
 * it is not the one that begins.
 */
const untilLogged = (app: RunningApp, ...parts: readonly string[]): Promise<void> =>
  until(
    `a line has ${parts.join(' and ')}`,
    async () => {
      await world.chain.client.mine({ blocks: 1 });
      return app.logLines.some((line) => parts.every((part) => line.includes(part)));
    },
    90 * SECOND_MS,
  );

async function untilRefused({ id }: StoredOperation): Promise<void> {
  await until('the operation failed its simulation', async () =>
    String((await world.rows([id]))[0]?.['reason']).startsWith('AA21'),
  );
}

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'EvmClientService.pinNode: with %s, a node that invents blocks keeps no operation from being included, and with three from being final',
  async (_, honest) => {
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    const liar = await HostileNode.start(inventBlocks);
    const app = await startApp(liar.url, ...good);
    const operations = [
      await storeOne(await world.sign(await world.fundedOwner())),
      await storeOne(await world.sign(await world.fundedOwner())),
    ];
    await world.untilState('included', operations);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    if (honest === 1) {
      // Nothing tells which of two nodes is wrong.
      await untilLogged(app, DISAGREE_ABOUT_EVENT);
      const rows = await world.rows(operations.map(({ id }) => id));
      expect(rows.map((row) => row['state'])).toEqual(['included', 'included']);
      await liar.stop();
      await untilMined(operations, 'final');
    }
    const rows = await world.untilState('final', operations);
    if (honest > 1) await liar.stop();
    const newest = await world.chain.client.getBlockNumber();
    expect(rows.filter((row) => BigInt(String(row['block_number'])) > newest)).toEqual([]);
    expect(app.logLines.join('\n')).toContain('nodes of a chain are asked last');
  },
);

it('EvmClientService.pinNode: a node that invents blocks is not asked alone while the other node is away', async () => {
  let isAway = false;
  let heads = 0;
  const liar = await serve((request, response) => {
    if (isAway && request.method === 'eth_getBlockByNumber') heads += 1;
    return inventBlocks(request, response);
  });
  const good = await serve((request, response) => {
    if (isAway) reply(response, request.id, { error: { code: -32_000, message: 'away' } });
    else return forwardTo(world.chain.rpcUrl)(request, response);
  });
  const app = await startApp(liar, good);
  const first = await storeOne(await world.sign(await world.fundedOwner()));
  await world.untilState('included', [first]);
  expect(app.logLines.join('\n')).toContain('nodes of a chain are asked last');
  isAway = true;
  const second = await storeOne(await world.sign(await world.fundedOwner()));
  await until('the heads were loaded again and again', () => heads > 10);
  expect(app.logLines.join('\n')).not.toContain('agree again');
  expect(['signed', 'submitted']).toContain((await world.rows([second.id]))[0]?.['state']);
  isAway = false;
  await world.untilState('included', [second]);
});

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'DeadOperationTracker: with %s, rejects nothing because one node invents the use of a nonce',
  async (_, honest) => {
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    const app = await startApp(await serve(inventUses()), ...good);
    const owner = world.createOwner();
    const operation = await storeOne(await world.sign(owner, [pay(0n)], UNPAID));
    await untilRefused(operation);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await untilLogged(app, DISAGREE);
    await world.chain.setNativeBalance(owner.address, FUNDS);
    await world.untilState('included', [operation]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await world.untilState('final', [operation]);
  },
);

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'DeadOperationTracker: with %s, no operation expires that a stranger has executed because one node denies the use of its nonce',
  async (_, honest) => {
    let isLying = true;
    const denyUses: Behaviour = async (request, response) => {
      const { id, method, params = [] } = request as Partial<NodeRequest>;
      const [first = {}] = params as [{ data?: Hex }?];
      if (isLying && method === 'eth_call' && first.data?.startsWith(GET_NONCE))
        reply(response, id, { result: pad('0x0', { size: 32 }) });
      else if (isLying && method === 'eth_getLogs') reply(response, id, { result: [] });
      else await forwardTo(world.chain.rpcUrl)(request, response);
    };
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    // The executors do not send what expires soon.
    const validUntil = new Date(Date.now() - 3_600_000);
    const signed = await world.sign(await world.fundedOwner(), [pay(1n)], { validUntil });
    const hash = await world.chain.client.sendTransaction({
      to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
      data: encodeHandleOps('0.8', [signed.operation], RECIPIENT),
    });
    await world.chain.client.waitForTransactionReceipt({ hash });
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    const operation = await storeOne(signed);
    const app = await startApp(await serve(denyUses), ...good);
    await untilLogged(app, DISAGREE);
    expect((await world.rows([operation.id])).map(({ state }) => state)).toEqual(['signed']);
    isLying = false;
    await untilMined([operation], 'final');
  },
);

it('DeadOperationTracker: with two nodes and one confirmation, no operation expires by a block that the other node does not have yet', async () => {
  const urls = [
    await serve(inventAhead({ lead: 2n, seconds: 7_200 })),
    await serve(forwardTo(world.chain.rpcUrl)),
  ];
  const { chainId } = world.chain;
  const app = await world.startApp({
    [`RPC_URL_${chainId}`]: urls.join(),
    [`CONFIRMATIONS_${chainId}`]: '1',
  });
  const validUntil = new Date(Date.now() + 3_600_000);
  const operation = await storeOne(
    await world.sign(world.createOwner(), [pay(0n)], { ...UNPAID, validUntil }),
  );
  await untilRefused(operation);
  await untilLogged(app, DISAGREE, operation.id);
  expect((await world.rows([operation.id]))[0]?.['state']).toBe('signed');
});

it('DeadOperationTracker: with three nodes, rejects an operation although one of them denies that its nonce is used', async () => {
  const deny = (request: NodeRequest, response: Parameters<Behaviour>[1]) => {
    if (request.method !== 'eth_getLogs') return forwardTo(world.chain.rpcUrl)(request, response);
    reply(response, request.id, { result: [] });
  };
  const [first, last] = [
    await serve(forwardTo(world.chain.rpcUrl)),
    await serve(forwardTo(world.chain.rpcUrl)),
  ];
  await startApp(first, await serve(deny), last);
  const owner = world.createOwner();
  const operation = await storeOne(await world.sign(owner, [pay(0n)], UNPAID));
  await untilRefused(operation);
  const other = await world.sign(owner, [pay(0n)], { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
  const hash = await world.chain.client.sendTransaction({
    to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    data: encodeHandleOps('0.8', [other.operation], RECIPIENT),
  });
  await world.chain.client.waitForTransactionReceipt({ hash });
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await untilMined([operation], 'rejected');
});

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])('BundleSender: with %s, takes no nonce that only one node says is next', async (_, honest) => {
  let isLying = true;
  const liar = await serve((request, response) => {
    if (isLying && request.method === 'eth_getTransactionCount')
      reply(response, request.id, { result: numberToHex(1_000_000) });
    else return forwardTo(world.chain.rpcUrl)(request, response);
  });
  const good = await Promise.all(Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))));
  const app = await startApp(liar, ...good);
  const operation = await storeOne(await world.sign(await world.fundedOwner()));
  // Three nodes go on while one of them lies: it is outvoted, and asked last from then on.
  if (honest > 1) await world.untilState('included', [operation]);
  else await untilLogged(app, 'disagree about the nonce of executor');
  const { rows } = await world.pool.query(
    'SELECT FROM account_kit.executor_transactions WHERE nonce >= 1000000',
  );
  expect(rows).toEqual([]);
  isLying = false;
  await world.untilState('included', [operation]);
});

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'T223: InclusionFinalizer: with %s, an operation that the first node invents in a block is not final, and is executed in the end, with three nodes while that node lies',
  async (_, honest) => {
    const victim = await storeOne(await world.sign(await world.fundedOwner()));
    const signed = await world.sign(await world.fundedOwner());
    const { hash, owner } = signed;
    let block: Hex | undefined;
    let isLying = true;
    const liar = await serve(async (request, response) => {
      const { params: [first] = [] } = request as Partial<NodeRequest>;
      const raw = request.method === 'eth_sendRawTransaction' ? (first as Hex) : '0x';
      const { topics = [] } = request.method === 'eth_getLogs' ? (first as { topics?: (Hex | Hex[])[] }) : {};
      const isSent = raw.includes(owner.address.slice(2).toLowerCase());
      const isSearched = topics[1]?.includes(hash) === true;
      if (!isLying || !(isSent || isSearched)) return forwardTo(world.chain.rpcUrl)(request, response);
      // The transaction goes nowhere, and its block is the newest one when the operation is searched for the first time.
      if (isSent) {
        reply(response, request.id, { result: keccak256(raw) });
        return;
      }
      block ??= numberToHex(await world.chain.client.getBlockNumber());
      reply(response, request.id, { result: [await inventEvent(pad(owner.address), block, hash)] });
    });
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    const app = await startApp(liar, ...good);
    await world.untilState('included', [victim]);
    const operation = await storeOne(signed);
    await world.untilState('included', [operation]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await untilLogged(app, DISAGREE_ABOUT_EVENT, operation.id);
    await world.untilState('final', [victim]);
    if (honest === 1) {
      // Nothing tells which of two nodes is wrong.
      expect((await world.rows([operation.id]))[0]?.['state']).toBe('included');
      isLying = false;
    }
    await untilMined([operation], 'final');
    const [row] = await world.rows([operation.id]);
    const receipt = await world.chain.client.getTransactionReceipt({
      hash: row?.['transaction_hash'] as Hex,
    });
    expect(receipt.blockNumber).toBe(BigInt(String(row?.['block_number'])));
  },
);

it('InclusionFinalizer: a node that calls a reverted call successful does not make it final, and delays no operation of its block', async () => {
  const reverting = await world.sign(await world.fundedOwner(), [pay(10n * FUNDS)]);
  let isLying = true;
  const liar = await serve((request, response) => {
    if (!isLying || request.method !== 'eth_getLogs') return forwardTo(world.chain.rpcUrl)(request, response);
    return forwardTo(world.chain.rpcUrl, (answer) => {
      const { result, ...rest } = JSON.parse(answer) as { result: { topics: Hex[]; data: Hex }[] };
      return JSON.stringify({
        ...rest,
        result: result.map((log) =>
          log.topics[1] === reverting.hash ? { ...log, data: toSuccess(log.data) } : log,
        ),
      });
    })(request, response);
  });
  const app = await startApp(liar, await serve(forwardTo(world.chain.rpcUrl)));
  const [operation, victim] = await world.store(reverting, await world.sign(await world.fundedOwner()));
  if (!operation || !victim) throw new Error('nothing was stored');
  await world.untilState('included', [operation, victim]);
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await world.untilState('final', [victim]);
  await untilLogged(app, DISAGREE_ABOUT_EVENT, operation.id);
  expect((await world.rows([operation.id]))[0]).toMatchObject({ state: 'included', success: true });
  isLying = false;
  await untilMined([operation], 'reverted');
});

it('DeadOperationTracker: does not call an operation included because one node invents its event', async () => {
  const owner = world.createOwner();
  const signed = await world.sign(owner, [pay(0n)], UNPAID);
  const app = await startApp(
    await serve(inventUses(signed.hash)),
    await serve(forwardTo(world.chain.rpcUrl)),
  );
  const operation = await storeOne(signed);
  await untilRefused(operation);
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await untilLogged(app, DISAGREE, operation.id);
  expect((await world.rows([operation.id]))[0]?.['state']).toBe('signed');
});

it('InclusionTracker: records an operation whose receipt is too large to read, without the receipt', async () => {
  await startApp(await serve(withHugeReceipts(world.chain.rpcUrl)));
  const operation = await storeOne(await world.sign(await world.fundedOwner()));
  const [row] = await world.untilState('included', [operation]);
  expect(row).toMatchObject({ success: true, receipt: null });
  await world.chain.client.mine({ blocks: CONFIRMATIONS });
  await world.untilState('final', [operation]);
});

it('TransactionTracker: a transaction of which one node alone says that another one took its nonce stays followed, and operations of it are not sent again', async () => {
  let isLying = false;
  const liar = await serve(async (request, response) => {
    const { id, method } = request;
    if (isLying && method === 'eth_getTransactionReceipt') reply(response, id, { result: null });
    else if (isLying && method === 'eth_getTransactionCount')
      reply(response, id, { result: numberToHex(1_000) });
    else await forwardTo(world.chain.rpcUrl)(request, response);
  });
  const app = await startApp(liar, world.chain.rpcUrl);
  await world.chain.client.setAutomine(false);
  const operation = await storeOne(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', [operation]);
  const states = async () => {
    const { rows } = await world.pool.query<{ state: string }>(
      `SELECT state FROM account_kit.executor_transactions AS t
       JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id WHERE link.operation_id = $1`,
      [operation.id],
    );
    return rows.map(({ state }) => state);
  };
  isLying = true;
  await world.chain.client.setAutomine(true);
  await until('the nodes disagree about the transaction', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return app.logLines.some((line) => line.includes('disagree about a transaction of an executor'));
  });
  expect(await states()).toEqual(['pending']);
  isLying = false;
  await until('the transaction is final', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return (await states()).join() === 'final';
  });
});

const transactionHashOf = async ({ id }: StoredOperation): Promise<Hex> => {
  const { rows } = await world.pool.query<{ hash: Hex }>(
    `SELECT v.hash FROM account_kit.executor_transaction_operations AS link
     JOIN account_kit.executor_transaction_variants AS v ON v.transaction_id = link.transaction_id WHERE link.operation_id = $1`,
    [id],
  );
  if (!rows[0]) throw new Error('the operation is in no transaction');
  return rows[0].hash;
};

/** Stores an operation whose transaction waits in the pool of the chain. */
async function storeWaiting(): Promise<{ operation: StoredOperation; hash: Hex }> {
  await world.chain.client.setAutomine(false);
  const operation = await storeOne(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', [operation]);
  const hash = await transactionHashOf(operation);
  await until('the chain has the transaction', () =>
    world.chain.client.getTransaction({ hash }).then(
      () => true,
      () => false,
    ),
  );
  return { operation, hash };
}

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'T216: TransactionTracker: with %s, sends a transaction again that every node has dropped, although one node says that its nonce is used',
  async (_, honest) => {
    let isLying = false;
    const liar = await serve((request, response) => {
      if (isLying && request.method === 'eth_getTransactionCount')
        reply(response, request.id, { result: numberToHex(1_000_000) });
      else return forwardTo(world.chain.rpcUrl)(request, response);
    });
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    await startApp(liar, ...good);
    const { operation, hash } = await storeWaiting();
    isLying = true;
    await world.chain.client.dropTransaction({ hash });
    await untilMined([operation], 'final');
    await world.chain.client.setAutomine(true);
  },
);

/** Stores transactions like that of the operation, with the next nonces, of which the chain has none. */
async function storeMined(operation: StoredOperation, count: number): Promise<void> {
  await world.pool.query(
    `WITH mined AS (
       SELECT t.* FROM account_kit.executor_transactions AS t
       JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id WHERE link.operation_id = $1
     ), copies AS (SELECT gen_random_uuid() AS id, n FROM generate_series(1, $2::int) AS n),
     inserted AS (
       INSERT INTO account_kit.executor_transactions
       SELECT (jsonb_populate_record(t, jsonb_build_object('id', copies.id, 'nonce', t.nonce + n))).*
       FROM account_kit.executor_transactions AS t, copies WHERE t.id IN (SELECT id FROM mined)
     )
     INSERT INTO account_kit.executor_transaction_variants
     SELECT (jsonb_populate_record(v,
       jsonb_build_object('transaction_id', copies.id, 'hash', '0x' || repeat(md5(copies.id::text), 2)))).*
     FROM account_kit.executor_transaction_variants AS v, copies WHERE v.transaction_id IN (SELECT id FROM mined)`,
    [operation.id, count],
  );
  const [address] = world.executors;
  const { rows } = await world.pool.query<{ nonce: number }>(
    'SELECT max(nonce)::int + 1 AS nonce FROM account_kit.executor_transactions WHERE executor = $1',
    [address],
  );
  if (address) await world.chain.client.setNonce({ address, nonce: rows[0]?.nonce ?? 0 });
}

async function deleteCopies(): Promise<void> {
  const copies =
    'SELECT id FROM account_kit.executor_transactions WHERE id NOT IN (SELECT transaction_id FROM account_kit.executor_transaction_operations)';
  await world.pool.query(
    `DELETE FROM account_kit.executor_transaction_variants WHERE transaction_id IN (${copies})`,
  );
  await world.pool.query(`DELETE FROM account_kit.executor_transactions WHERE id IN (${copies})`);
}

it('T226: TransactionTracker: sends a transaction with higher fees that waits after 101 mined ones, which the second of two nodes does not count', async () => {
  let [isLying, isLosing] = [false, false];
  const serveNode = (isLiar: boolean) =>
    serve((request, response) => {
      const { id, method } = request;
      if (isLosing && method === 'eth_sendRawTransaction') reply(response, id, { result: '0x' });
      else if (isLiar && isLying && method === 'eth_getTransactionCount')
        reply(response, id, { result: '0x0' });
      else return forwardTo(world.chain.rpcUrl)(request, response);
    });
  const urls = [await serveNode(false), await serveNode(true)];
  const env = {
    [`RPC_URL_${world.chain.chainId}`]: urls.join(),
    EXECUTOR_KEYS: world.executorKeys[0] ?? '',
    EXECUTOR_BUMP_BLOCKS: '1',
  };
  await world.startApp(env);
  const mined = await storeOne(await world.sign(await world.fundedOwner()));
  const ofOperation = async ({ id }: StoredOperation) => {
    const { rows } = await world.pool.query<{ state: string; variants: number }>(
      `SELECT t.state, (SELECT count(*)::int FROM account_kit.executor_transaction_variants WHERE transaction_id = t.id) AS variants
       FROM account_kit.executor_transactions AS t
       JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id WHERE link.operation_id = $1`,
      [id],
    );
    return rows[0];
  };
  await until('a transaction is mined', async () => (await ofOperation(mined))?.state === 'mined');
  await world.stopApps();
  await storeMined(mined, 100);
  [isLying, isLosing] = [true, true];
  await world.startApp(env);
  const waiting = await storeOne(await world.sign(await world.fundedOwner()));
  await world.untilState('submitted', [waiting]);
  await until('a variant with higher fees is stored', async () => {
    await world.chain.client.mine({ blocks: 1 });
    return ((await ofOperation(waiting))?.variants ?? 0) > 1;
  });
  isLosing = false;
  await untilMined([waiting], 'included');
  isLying = false;
  await deleteCopies();
  await untilMined([mined, waiting], 'final');
});

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'T217: TransactionTracker: with %s, an operation gets no strike for a revert that only one node tells of',
  async (_, honest) => {
    let isLying = false;
    let told = 0;
    const liar = await serve(async (request, response) => {
      const { id, method, params = [] } = request as Partial<NodeRequest>;
      if (isLying && method === 'eth_getTransactionCount')
        reply(response, id, { result: numberToHex(1_000_000) });
      else if (isLying && method === 'eth_getTransactionReceipt') {
        told += 1;
        const { number, hash } = await world.chain.client.getBlock();
        const receipt = {
          ...{ transactionHash: params[0], blockNumber: numberToHex(number), blockHash: hash, status: '0x0' },
          ...{
            gasUsed: '0x5208',
            effectiveGasPrice: '0x1',
            logs: [],
            to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
          },
        };
        reply(response, id, { result: receipt });
      } else await forwardTo(world.chain.rpcUrl)(request, response);
    });
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    await startApp(liar, ...good);
    const { operation } = await storeWaiting();
    isLying = true;
    // Among three nodes one that was outvoted is asked last, so it is not asked again for a while, and the next one is pinned.
    await until('the node tells of the revert', () => told > (honest > 1 ? 0 : 5));
    const countTurns = () => nodes[1]?.count('eth_getTransactionCount') ?? 0;
    const before = countTurns();
    await until(
      'the executors have looked again several times',
      () => honest === 1 || countTurns() > before + 20,
    );
    expect((await world.rows([operation.id]))[0]).toMatchObject({ state: 'submitted', strikes: 0 });
    if (honest === 1) isLying = false;
    await world.chain.client.setAutomine(true);
    await untilMined([operation], 'final');
    expect((await world.rows([operation.id]))[0]).toMatchObject({ strikes: 0 });
  },
);
