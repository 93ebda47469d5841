import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { Address } from 'viem';
import { forwardTo, HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { asClient } from './roles-world.js';
import { GatingApp } from './gating-app.js';

const SCAN_BLOCKS = 40;
const holder: Address = '0x00000000000000000000000000000000000000a1';
const other: Address = '0x00000000000000000000000000000000000000b2';

let chain: LocalChain;
let node: HostileNode;
let gating: GatingApp;
let collection: DeployedContract;
/** Replaces the node's response to eth_getLogs. */
let answerLogs: ((request: NodeRequest, response: ServerResponse) => void | Promise<void>) | undefined;

beforeAll(async () => {
  chain = await LocalChain.start();
  await chain.installMulticall3();
  const forward = forwardTo(chain.rpcUrl);
  node = await HostileNode.start((request, response) =>
    request.method === 'eth_getLogs' && answerLogs
      ? answerLogs(request, response)
      : forward(request, response),
  );
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: node.url,
    LOG_SCAN_BLOCKS: String(SCAN_BLOCKS),
  });
  collection = await chain.deploy('DemoERC721', ['Demo', 'NFT']);
  await chain.mint(collection, holder, 1n);
  await chain.client.mine({ blocks: SCAN_BLOCKS / 2 });
  await chain.mint(collection, holder, 3n);
  await chain.mint(collection, holder, 2n ** 256n - 1n);
  await chain.mint(collection, holder, 2n);
  await chain.setNativeBalance(holder, 10n ** 18n);
  await chain.client.impersonateAccount({ address: holder });
  const transfer = { ...collection, account: holder, functionName: 'transferFrom' };
  await chain.client.writeContract({ ...transfer, args: [holder, other, 3n] });
  await chain.client.mine({ blocks: 1 });
}, 90_000);

afterAll(async () => {
  await gating.stop();
  await node.stop();
  await chain.stop();
});

const assetOf = ({ address }: DeployedContract): string => `eip155:${chain.chainId}/erc721:${address}`;

async function list(account: string, contract = collection, as: Principal = asClient('client_1')) {
  const path = `/asset-list/${account}?assets=${encodeURIComponent(assetOf(contract))}`;
  const { status, body } = await gating.request('GET', path, undefined, {}, as);
  expect(status).toBe(200);
  const [item] = body as { balance: string; tokens?: { id: string }[] }[];
  return item && { balance: item.balance, ids: item.tokens?.map(({ id }) => id) };
}

async function withLogs<T>(answer: NonNullable<typeof answerLogs>, use: () => Promise<T>): Promise<T> {
  answerLogs = answer;
  try {
    return await use();
  } finally {
    answerLogs = undefined;
  }
}

/** Adds logs to those of the chain. */
const addLogs =
  (...ids: bigint[]) =>
  (request: NodeRequest, response: ServerResponse) => {
    const [{ topics }] = request.params as [{ topics: [string, null, string[]] }];
    const [receiver] = topics[2];
    return forwardTo(chain.rpcUrl, (answer) => {
      const parsed = JSON.parse(answer) as { result: { topics: string[] }[] };
      const more = ids.map((id) => ({
        address: collection.address,
        topics: [topics[0], receiver, receiver, `0x${id.toString(16).padStart(64, '0')}`],
      }));
      return JSON.stringify({ ...parsed, result: [...parsed.result, ...more] });
    })(request, response);
  };

describe('the tokens of a contract that does not enumerate them', () => {
  const ALL = ['1', '2', (2n ** 256n - 1n).toString()];

  it('come from its Transfer logs, without those that were passed on', async () => {
    expect(await list(holder)).toEqual({ balance: '3', ids: ALL });
    expect(await list(other)).toEqual({ balance: '1', ids: ['3'] });
  });

  const answerWith =
    (body: Parameters<typeof reply>[2]): NonNullable<typeof answerLogs> =>
    ({ id }, response) => {
      reply(response, id, body);
    };

  it.each<[string, NonNullable<typeof answerLogs>]>([
    ['leaves logs out', answerWith({ result: [] })],
    [
      'limits the results',
      answerWith({ error: { code: -32_005, message: 'query returned more than 10000 results' } }),
    ],
    ['answers no logs', answerWith({ result: [null] })],
    [
      'answers no JSON',
      (_, response) => {
        response.end('<html>');
      },
    ],
    ['answers too much', answerWith({ result: 'x'.repeat(1_024 * 1_024) })],
    ['names hundreds of tokens', addLogs(...Array.from({ length: 501 }, (_, index) => BigInt(index + 10)))],
  ])('T82: are absent when a node %s, which stays in use', async (_, answer) => {
    expect(await withLogs(answer, () => list(holder))).toEqual({ balance: '3', ids: undefined });
    expect(await list(holder)).toEqual({ balance: '3', ids: ALL });
  });

  /** As providers with a free plan answer: by an error of JSON-RPC, or by status 400. */
  const serveBlocks =
    (max: bigint, status: number): NonNullable<typeof answerLogs> =>
    (request, response) => {
      const [{ fromBlock, toBlock }] = request.params as [{ fromBlock: string; toBlock: string }];
      if (BigInt(toBlock) - BigInt(fromBlock) < max) return forwardTo(chain.rpcUrl)(request, response);
      response.statusCode = status;
      const message = `You can make eth_getLogs requests with up to a ${max} block range.`;
      reply(response, request.id, { error: { code: -32_600, message } });
    };

  it.each([
    [10n, 200],
    [10n, 400],
    [1n, 200],
  ])(
    'asset-list: reads logs %s blocks at a time from a node that refuses more by status %s',
    async (max, status) => {
      const answered: unknown[] = [];
      const serve = serveBlocks(max, status);
      const listed = await withLogs(
        (request, response) => {
          answered.push(request.params);
          return serve(request, response);
        },
        () => list(holder),
      );
      expect(listed).toEqual({ balance: '3', ids: ALL });
      expect(answered.length).toBeGreaterThan(2);
      expect(await list(holder)).toEqual({ balance: '3', ids: ALL });
    },
  );

  it('T82: are verified when a node names tokens of others, and tokens that do not exist', async () => {
    const lie = addLogs(3n, 4n, 5n);
    expect(await withLogs(lie, () => list(holder))).toEqual({ balance: '3', ids: ALL });
  });

  it('are absent when older blocks have some of them', async () => {
    const old = await chain.deploy('DemoERC721', ['Old', 'OLD']);
    await chain.mint(old, holder, 1n);
    await chain.client.mine({ blocks: SCAN_BLOCKS });
    await chain.mint(old, holder, 2n);
    expect(await list(holder, old)).toEqual({ balance: '2', ids: undefined });
  });
});
