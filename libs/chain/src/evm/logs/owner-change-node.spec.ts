import { describe, expect, it } from '@jest/globals';
import type { JsonRpcClient, JsonRpcErrorObject } from '../../node/evm/json-rpc-client.js';
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

  constructor(
    refuse: (filter: Filter, shortTimeout: boolean) => RpcNodeError | JsonRpcErrorObject | undefined,
  ) {
    const rpc: Pick<JsonRpcClient, 'request' | 'requestJson'> = {
      request: () => Promise.resolve({ result: '0x64' }),
      requestJson: (_url, { params, shortTimeout = false }, _signal, toError) => {
        const [filter] = JSON.parse(params) as [Filter];
        this.asked.push(filter);
        const answer = refuse(filter, shortTimeout);
        const error = answer && 'code' in answer ? toError?.(answer) : answer;
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

  it.each([1, 7, 10, 16, 30])(
    'OwnerChangeNode: reads a thousand contracts from a node that takes %i, also with one whose logs it refuses',
    async (limit) => {
      const noisy = contract(777);
      const node = new LoggingNode(({ address }) => {
        if (address.length > limit)
          return new RpcNodeError('unavailable', 'unknown error', { unexplained: true });
        return address.includes(noisy.address) ? refusal() : undefined;
      });
      let watched = contracts(1_000);
      const blamed: string[] = [];
      let fromBlock = 5n;
      for (let look = 0; look < 12 && fromBlock <= 16n; look += 1) {
        const result = await node.read(watched, fromBlock, 16n).catch(() => undefined);
        if (!result) continue;
        blamed.push(...result.refused);
        watched = watched.filter(({ address }) => !result.refused.includes(address));
        fromBlock = result.toBlock + 1n;
      }
      expect(fromBlock).toBe(17n);
      expect(blamed).toEqual([noisy.address]);
    },
  );

  it.each([
    'block range extends beyond current head block',
    'requested to block is after latest block',
    'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found: block not found',
  ])(
    'OwnerChangeNode: stops before blocks that a node does not have yet ("%s"), and blames nobody',
    async (message) => {
      // Another node behind the load balancer answers for the silent contract.
      const node = new LoggingNode(({ address, toBlock }) =>
        BigInt(toBlock) >= 16n && Number(address[0]) > 0 ? { code: -32_602, message } : undefined,
      );
      let fromBlock = 5n;
      while (fromBlock < 16n) {
        const { toBlock, refused } = await node.read(contracts(3), fromBlock, 16n);
        expect(refused).toEqual([]);
        expect(toBlock).toBeGreaterThanOrEqual(fromBlock);
        fromBlock = toBlock + 1n;
      }
      await expect(node.read(contracts(3), 16n, 16n)).rejects.toThrow('the node');
    },
  );

  it('OwnerChangeNode: blames no contract that is answered when it is asked again', async () => {
    const asked = new Map<string, number>();
    const node = new LoggingNode(({ address: [first = '', ...others] }) => {
      const times = (asked.get(first) ?? 0) + 1;
      if (others.length === 0) asked.set(first, times);
      const isFirst = others.length === 0 && times === 1;
      return Number(first) > 0 && (others.length > 0 || isFirst) ? refusal() : undefined;
    });
    expect(await node.read(contracts(3), 5n, 16n)).toMatchObject({ toBlock: 5n, refused: [] });
  });

  const timeout = () => new RpcNodeError('too_heavy', 'the node took too long', { timedOut: true });

  it('OwnerChangeNode: blames no contract while a node is slow for a while, or needs the whole timeout', async () => {
    const slow = new LoggingNode(({ address: [first] }) => (Number(first) > 0 ? timeout() : undefined));
    await expect(slow.read(contracts(400), 5n, 16n)).rejects.toThrow('took too long');
    await expect(slow.read(contracts(400), 5n, 16n)).rejects.toThrow('took too long');
    const careful = new LoggingNode(({ address }, shortTimeout) =>
      Number(address[0]) > 0 && (shortTimeout || address.length > 1) ? timeout() : undefined,
    );
    expect(await careful.read(contracts(4), 5n, 16n)).toMatchObject({ toBlock: 5n, refused: [] });
  });

  it('OwnerChangeNode: blames a contract of which a node times out again and again, and never another one', async () => {
    const noisy = contract(77);
    const node = new LoggingNode(({ address }) => (address.includes(noisy.address) ? timeout() : undefined));
    await expect(node.read(contracts(100), 5n, 16n)).rejects.toThrow('took too long');
    await expect(node.read(contracts(100), 5n, 16n)).rejects.toThrow('took too long');
    expect(await node.read(contracts(100), 5n, 16n)).toMatchObject({
      toBlock: 5n,
      refused: [noisy.address],
    });
  });

  it('OwnerChangeNode: blames a contract that times out in a block behind others, which are read again with each look', async () => {
    const noisy = contract(77);
    const node = new LoggingNode(({ address, fromBlock, toBlock }) =>
      address.includes(noisy.address) && BigInt(fromBlock) <= 9n && 9n <= BigInt(toBlock)
        ? timeout()
        : undefined,
    );
    const look = async (): Promise<OwnerChanges> => {
      node.asked.length = 0;
      for (let fromBlock = 5n; ;) {
        const result = await node.read(contracts(100), fromBlock, 16n);
        fromBlock = result.toBlock + 1n;
        if (fromBlock > 9n) return result;
      }
    };
    await expect(look()).rejects.toThrow('took too long');
    await expect(look()).rejects.toThrow('took too long');
    expect(await look()).toMatchObject({ toBlock: 9n, refused: [noisy.address] });
    const isOfManyBlocks = (filter: Filter) => Number(filter.toBlock) >= 9 && countBlocks(filter) > 1;
    expect(node.asked.filter(isOfManyBlocks)).toEqual([]);
    expect(await node.read(contracts(100), 10n, 16n)).toMatchObject({ toBlock: 16n, refused: [] });
  });
});
