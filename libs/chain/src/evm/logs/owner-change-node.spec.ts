import { describe, expect, it } from '@jest/globals';
import type { JsonRpcClient } from '../../node/evm/json-rpc-client.js';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { OWNER_CHANGE_TOPICS } from './owner-change-logs.js';
import { OwnerChangeNode, type OwnerChanges, type WatchedContract } from './owner-change-node.js';

interface Filter {
  readonly address: readonly string[];
  readonly fromBlock: string;
  readonly toBlock: string;
}

const contract = (index: number, owner?: string): WatchedContract => ({
  address: `0x${index.toString(16).padStart(40, '0')}`,
  owner,
});
const contracts = (count: number, owner?: string) =>
  Array.from({ length: count }, (_, index) => contract(index + 1, owner));
const countBlocks = ({ fromBlock, toBlock }: Filter): number => Number(toBlock) - Number(fromBlock) + 1;

/** A node with a log in each block of each contract, that refuses what `refuse` says. */
class LoggingNode {
  readonly asked: Filter[] = [];
  private readonly signal = new AbortController().signal;
  private readonly node: OwnerChangeNode;

  constructor(refuse: (filter: Filter) => RpcNodeError | undefined) {
    const rpc: Pick<JsonRpcClient, 'request' | 'requestJson'> = {
      request: () => Promise.resolve({ result: '0x64' }),
      requestJson: (_, { params }) => {
        const [filter] = JSON.parse(params) as [Filter];
        this.asked.push(filter);
        const error = refuse(filter);
        return error ? Promise.reject(error) : Promise.resolve({ result: createLogs(filter) });
      },
    };
    this.node = new OwnerChangeNode('http://node', rpc, () => undefined);
  }

  read(watched: readonly WatchedContract[], fromBlock = 1n, toBlock = 1_000n): Promise<OwnerChanges> {
    return this.node.read(watched, { fromBlock, toBlock }, this.signal);
  }
}

const createLogs = ({ address, fromBlock }: Filter) =>
  address.slice(0, 3).map((emitter, index) => ({
    address: emitter,
    topics: [OWNER_CHANGE_TOPICS[0], ...Array<string>(3).fill(`0x${'0'.repeat(64)}`)],
    data: '0x',
    blockNumber: fromBlock,
    blockHash: `0x${'b'.repeat(64)}`,
    logIndex: `0x${index}`,
  }));

const refusal = () => new RpcNodeError('too_heavy', 'the node refused logs');

describe('OwnerChangeNode', () => {
  it('OwnerChangeNode: asks once for a thousand contracts', async () => {
    const node = new LoggingNode(() => undefined);
    const { toBlock, refused } = await node.read(contracts(1_000));
    expect([toBlock, refused, node.asked.length]).toEqual([1_000n, [], 1]);
    await node.read(contracts(2_500));
    expect(node.asked).toHaveLength(4);
  });

  it.each([10, 500])('OwnerChangeNode: finds that a node serves %i blocks at once', async (limit) => {
    const node = new LoggingNode((filter) => (countBlocks(filter) > limit ? refusal() : undefined));
    let fromBlock = 1n;
    while (fromBlock <= 3_000n) {
      const { toBlock, refused } = await node.read(contracts(20), fromBlock, 3_000n);
      expect(refused).toEqual([]);
      fromBlock = toBlock + 1n;
    }
    const refusals = node.asked.filter((filter) => countBlocks(filter) > limit);
    const answers = node.asked.length - refusals.length;
    expect(answers).toBeLessThan((3_000 / limit) * 2 + 10);
    expect(refusals.length).toBeLessThan(answers / 4 + 12);
  });

  it('OwnerChangeNode: names the contract of which a single block is refused, and reads the others', async () => {
    const noisy = contract(777);
    const node = new LoggingNode(({ address }) => (address.includes(noisy.address) ? refusal() : undefined));
    const { toBlock, changes, refused } = await node.read(contracts(1_000), 5n, 16n);
    expect([toBlock, refused]).toEqual([5n, [noisy.address]]);
    expect(changes.length).toBeGreaterThan(0);
    expect(node.asked.length).toBeLessThan(30);
    const others = contracts(1_000).filter(({ address }) => address !== noisy.address);
    expect(await node.read(others, 6n, 16n)).toMatchObject({ toBlock: 16n, refused: [] });
  });

  it('OwnerChangeNode: asks for as many contracts as a node takes, and blames none of them', async () => {
    const tooMany = () => new RpcNodeError('unavailable', 'unknown error', { unexplained: true });
    const node = new LoggingNode(({ address }) => (address.length > 100 ? tooMany() : undefined));
    expect(await node.read(contracts(1_000), 5n, 16n)).toMatchObject({ toBlock: 5n, refused: [] });
    node.asked.length = 0;
    expect(await node.read(contracts(1_000), 6n, 16n)).toMatchObject({ toBlock: 16n, refused: [] });
    expect(node.asked.length).toBeLessThanOrEqual(20);
  });

  it('OwnerChangeNode: gives up a tenant with many such contracts, and finds one of another tenant', async () => {
    const spam = contracts(500, 'spammer');
    const victims = Array.from({ length: 300 }, (_, index) => contract(10_000 + index, 'victim'));
    const isSpam = new Set(spam.map(({ address }) => address));
    const node = new LoggingNode(({ address }) =>
      address.some((each) => isSpam.has(each)) ? refusal() : undefined,
    );
    const { toBlock, refused } = await node.read([...spam, ...victims], 5n, 16n);
    expect(toBlock).toBe(5n);
    expect(new Set(refused)).toEqual(isSpam);
    expect(node.asked.length).toBeLessThan(64);
  });

  it('OwnerChangeNode: ends a search that takes too many requests, with what it has found', async () => {
    const isNoisy = (address: string): boolean => Number(address) % 20 === 0;
    const node = new LoggingNode(({ address }) =>
      address.some((each) => Number(each) && isNoisy(each)) ? refusal() : undefined,
    );
    const found = new Set<string>();
    let rest = contracts(400);
    for (let look = 0; look < 20; look += 1) {
      node.asked.length = 0;
      const { toBlock, refused } = await node.read(rest, 5n, 5n);
      expect(node.asked.length).toBeLessThan(70);
      for (const address of refused) found.add(address);
      if (toBlock === 5n) break;
      expect(refused.length).toBeGreaterThan(0);
      rest = rest.filter(({ address }) => !found.has(address));
    }
    expect(found.size).toBe(20);
  });

  it('OwnerChangeNode: fails where the node serves no logs of anybody, and blames no contract', async () => {
    const node = new LoggingNode(() => refusal());
    await expect(node.read(contracts(100), 5n, 16n)).rejects.toThrow('refused');
    const limited = new LoggingNode(
      () => new RpcNodeError('unavailable', 'slow down', { retryAfterMs: 1_000 }),
    );
    await expect(limited.read(contracts(100), 5n, 16n)).rejects.toThrow('slow down');
    expect(limited.asked).toHaveLength(1);
  });
});
