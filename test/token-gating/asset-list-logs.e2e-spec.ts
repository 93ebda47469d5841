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
});

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
    const [{ topics }] = request.params as [{ topics: [string, null, string[] | null] }];
    const [receiver] = topics[2] ?? [];
    if (receiver === undefined) return forwardTo(chain.rpcUrl)(request, response);
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

  it('tokens of a contract that does not enumerate them: come from its Transfer logs, without those that were passed on', async () => {
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
  ])(
    'T82: tokens of a contract that does not enumerate them: are absent when a node %s, which stays in use',
    async (_, answer) => {
      expect(await withLogs(answer, () => list(holder))).toEqual({ balance: '3', ids: undefined });
      expect(await list(holder)).toEqual({ balance: '3', ids: ALL });
    },
  );

  /** Serves blocks as providers with a free plan do: by an error of JSON-RPC, or by status 400. */
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
      expect(answered.length).toBeGreaterThan(4);
      expect(await list(holder)).toEqual({ balance: '3', ids: ALL });
    },
  );

  it('T82: tokens of a contract that does not enumerate them: are verified when a node names tokens of others, and tokens that do not exist', async () => {
    const lie = addLogs(3n, 4n, 5n);
    expect(await withLogs(lie, () => list(holder))).toEqual({ balance: '3', ids: ALL });
  });

  it('tokens of a contract that does not enumerate them: are absent when older blocks have some of them', async () => {
    const old = await chain.deploy('DemoERC721', ['Old', 'OLD']);
    await chain.mint(old, holder, 1n);
    await chain.client.mine({ blocks: SCAN_BLOCKS });
    await chain.mint(old, holder, 2n);
    expect(await list(holder, old)).toEqual({ balance: '2', ids: undefined });
  });
});

describe('the tokens of a contract that mints batches (ERC-2309)', () => {
  const HUGE = 2n ** 255n;
  const range = (first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));

  async function deployBatches(...batches: readonly (readonly [Address, bigint, bigint])[]) {
    const contract = await chain.deploy('BatchERC721');
    for (const batch of batches) await chain.send(contract, 'mintBatch', batch);
    return contract;
  }

  it('asset-list: lists tokens of several batches beside those of single transfers', async () => {
    const contract = await deployBatches([holder, 1n, 10n], [other, 11n, 20n], [holder, 30n, 34n]);
    await chain.send(contract, 'mint', [holder, 100n]);
    const ids = [...range(1, 10), ...range(30, 34), '100'];
    expect(await list(holder, contract)).toEqual({ balance: '16', ids });
    expect(await list(other, contract)).toEqual({ balance: '10', ids: range(11, 20) });
  });

  it('asset-list: follows tokens that were passed on after the batch, and came back', async () => {
    const contract = await deployBatches([holder, 1n, 10n]);
    for (const id of [2n, 3n, 4n]) await chain.send(contract, 'move', [other, id]);
    await chain.send(contract, 'move', [holder, 3n]);
    expect(await list(holder, contract)).toEqual({ balance: '8', ids: ['1', '3', ...range(5, 10)] });
    expect(await list(other, contract)).toEqual({ balance: '2', ids: ['2', '4'] });
  });

  it('asset-list: finds two tokens among hundreds that a batch names, and lists none of an account that has hundreds', async () => {
    const contract = await deployBatches([holder, 1n, 450n]);
    expect(await list(holder, contract)).toEqual({ balance: '450', ids: undefined });
    const large = await deployBatches([other, 1n, 400n], [holder, 401n, 402n]);
    await chain.send(large, 'pretend', [holder, 1n, 400n]);
    expect(await list(holder, large)).toEqual({ balance: '2', ids: ['401', '402'] });
  });

  it('T262: asset-list: a range of 2^255 tokens costs one tenant its ids, and another tenant nothing', async () => {
    const hostile = await deployBatches([holder, 5n, 5n]);
    await chain.send(hostile, 'pretend', [holder, HUGE, 2n ** 256n - 1n]);
    for (let index = 0n; index < 20n; index += 1n)
      await chain.send(hostile, 'pretend', [holder, (index * HUGE) / 32n, HUGE + index]);
    const endless = await deployBatches();
    await chain.send(endless, 'mintBatch', [holder, HUGE, HUGE + 49n]);
    await chain.send(endless, 'pretend', [holder, 0n, HUGE]);
    const good = await deployBatches([holder, 1n, 3n]);
    const attacker: Principal = {
      kind: 'caller',
      client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' },
      scopes: ['token-gating'],
    };
    const attacks = Array.from({ length: 20 }, () => list(holder, endless, attacker));
    expect(await list(holder, good)).toEqual({ balance: '3', ids: ['1', '2', '3'] });
    // Token 5 is among the first hundreds of the ranges, and the others are not.
    expect(await list(holder, hostile, attacker)).toEqual({ balance: '1', ids: ['5'] });
    for (const attack of attacks) expect(await attack).toEqual({ balance: '50', ids: undefined });
    expect(await list(holder, good)).toEqual({ balance: '3', ids: ['1', '2', '3'] });
  });
});
