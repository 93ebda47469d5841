import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { encodeAbiParameters, type Hex, keccak256, numberToHex, pad, toHex } from 'viem';
import { encodeEventTopics } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { encodeHandleOps } from '../../apps/account-kit/src/evm/operations/encode-handle-ops.js';
import { USER_OPERATION_EVENT } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import { forwardTo, HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, RECIPIENT, type StoredOperation } from './executor-world.js';

const CONFIRMATIONS = 12;
/** Blocks by which a node claims to be ahead. */
const LEAD = 5_000n;
const FUNDS = 10n ** 18n;
/** More than an account without funds can pay. */
const UNPAID = { maxFeePerGas: 4n * 10n ** 9n };
const GET_NONCE = '0x35567e1a';
const DISAGREE = 'nodes of the chain disagree about the nonce of the operation';

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

/** Claims to be far ahead, has blocks up to there, and knows of no log and of no receipt. */
const inventBlocks: Behaviour = async (request, response) => {
  const { id, method, params = [] } = request as Partial<NodeRequest>;
  const newest = await world.chain.client.getBlockNumber();
  if (method === 'eth_blockNumber') reply(response, id, { result: numberToHex(newest + LEAD) });
  else if (method === 'eth_getLogs') reply(response, id, { result: [] });
  else if (method === 'eth_getTransactionReceipt') reply(response, id, { result: null });
  else {
    const isOfFuture = (tag: unknown): tag is string =>
      tag === 'latest' || (typeof tag === 'string' && /^0x[0-9a-f]{1,16}$/.test(tag) && BigInt(tag) > newest);
    const shown = params.map((param) => (isOfFuture(param) ? 'latest' : param));
    const number = shown.includes('latest') ? params.find(isOfFuture) : undefined;
    if (method === 'eth_getBlockByNumber' && number !== undefined)
      return forwardTo(world.chain.rpcUrl, (answer) => {
        const height = number === 'latest' ? numberToHex(newest + LEAD) : number;
        const { result, ...rest } = JSON.parse(answer) as { result: object };
        return JSON.stringify({
          ...rest,
          result: { ...result, number: height, hash: keccak256(toHex(height)) },
        });
      })({ ...request, params: ['latest', false] }, response);
    return forwardTo(world.chain.rpcUrl)({ ...request, params: shown }, response);
  }
};

/** Tells of each nonce, asked at a block, that another operation has used it, and has the event of it. */
const inventUses: Behaviour = async (request, response) => {
  const { id, method, params = [] } = request as Partial<NodeRequest>;
  const [first = {}, block] = params as [{ data?: Hex; topics?: Hex[]; toBlock?: Hex }?, unknown?];
  if (method === 'eth_call' && first.data?.startsWith(GET_NONCE) && block !== 'latest')
    reply(response, id, { result: pad('0x1', { size: 32 }) });
  else if (method === 'eth_getLogs' && first.topics?.[2] && first.toBlock !== undefined)
    reply(response, id, { result: [await inventEvent(first.topics[2], first.toBlock)] });
  else await forwardTo(world.chain.rpcUrl)(request, response);
};

async function inventEvent(sender: Hex, blockNumber: Hex) {
  const { hash } = await world.chain.client.getBlock({ blockNumber: BigInt(blockNumber) });
  const [signature] = encodeEventTopics({ abi: [USER_OPERATION_EVENT] });
  const types = [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }] as const;
  return {
    address: ACCOUNT_CONTRACTS['0.8'].entryPoint,
    topics: [signature, pad('0xbad', { size: 32 }), sender, pad('0x0', { size: 32 })],
    data: encodeAbiParameters(types, [0n, true, 1n, 1n]),
    blockNumber,
    blockHash: hash,
    transactionHash: pad('0xbad', { size: 32 }),
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  };
}

async function untilRefused({ id }: StoredOperation): Promise<void> {
  await until('the operation failed its simulation', async () =>
    String((await world.rows([id]))[0]?.['reason']).startsWith('AA21'),
  );
}

it.each([
  ['two nodes', 1],
  ['three nodes', 2],
])(
  'EvmClientService.pinNode: with %s, a node that invents blocks keeps no operation from being final',
  async (_, honest) => {
    const good = await Promise.all(
      Array.from({ length: honest }, () => serve(forwardTo(world.chain.rpcUrl))),
    );
    const app = await startApp(await serve(inventBlocks), ...good);
    const operations = [
      await storeOne(await world.sign(await world.fundedOwner())),
      await storeOne(await world.sign(await world.fundedOwner())),
    ];
    await world.untilState('included', operations);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    const rows = await world.untilState('final', operations);
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
    const app = await startApp(await serve(inventUses), ...good);
    const owner = world.createOwner();
    const operation = await storeOne(await world.sign(owner, [pay(0n)], UNPAID));
    await untilRefused(operation);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await until('the disagreement is logged', () => app.logLines.some((line) => line.includes(DISAGREE)));
    await world.chain.setNativeBalance(owner.address, FUNDS);
    await world.untilState('included', [operation]);
    await world.chain.client.mine({ blocks: CONFIRMATIONS });
    await world.untilState('final', [operation]);
  },
);

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
  await world.untilState('rejected', [operation]);
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
  await until('the disagreement is logged', () =>
    app.logLines.some((line) => line.includes('disagree about the nonce of executor')),
  );
  const { rows } = await world.pool.query(
    'SELECT FROM account_kit.executor_transactions WHERE nonce >= 1000000',
  );
  expect(rows).toEqual([]);
  isLying = false;
  await world.untilState('included', [operation]);
});
