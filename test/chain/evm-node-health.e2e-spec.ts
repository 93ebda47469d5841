import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeState, type NodeStateReport } from '@app/chain/evm';
import { found, HostileNodeFixture, rpcError, transient } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, type NodeBehaviour, onCalls } from '../support/hostile-node.js';
import { type NodeScript, scripted } from '../support/scripted-node.js';
import { until } from '../support/until.js';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const status =
  (code: number, headers: Record<string, string> = {}): NodeBehaviour =>
  (_, response) =>
    void response.writeHead(code, headers).end();

/** A node that fails until `recover` is called. */
async function startFailing(bad: NodeBehaviour): Promise<{ node: HostileNode; recover: () => void }> {
  let behaviour = bad;
  const node = await fixture.node(onCalls((request, response) => behaviour(request, response)));
  return { node, recover: () => (behaviour = forwardTo(fixture.chain.rpcUrl)) };
}

/** Records the reported states of each node, in order. */
function recordStates(): {
  onNodeState: (report: NodeStateReport) => void;
  of: (node: number) => NodeState[];
} {
  const reports: NodeStateReport[] = [];
  return {
    onNodeState: (report) => reports.push(report),
    of: (node) => reports.filter((report) => report.node === node).map(({ state }) => state),
  };
}

describe('a node that keeps failing', () => {
  it('node that keeps failing: is skipped by the circuit breaker until a probe succeeds', async () => {
    const { node, recover } = await startFailing(status(500));
    const states = recordStates();
    const reader = fixture.reader([node.url, fixture.chain.rpcUrl], states);
    for (let i = 0; i < 12; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    // Five failures, each with a probe, and background probes, more of them on a busy machine.
    expect(node.count('eth_call')).toBeLessThan(16);
    expect(states.of(0)).toEqual(['up', 'breaker_open']);
    recover();
    await until(
      'the node is up',
      async () => (await fixture.balance(reader))?.ok === true && states.of(0).at(-1) === 'up',
    );
    const before = node.count('eth_call');
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBe(before + 1);
  });

  it('node that keeps failing: fails fast if it is the only one', async () => {
    const { node, recover } = await startFailing(status(500));
    const reader = fixture.reader([node.url]);
    for (let i = 0; i < 5; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    const before = node.methods.length;
    for (let i = 0; i < 20; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    expect(node.methods.length - before).toBeLessThan(5);
    recover();
    await until('the node is used', async () => (await fixture.balance(reader))?.ok === true);
  });
});

describe('a node that hangs', () => {
  it('node that hangs: delays only the batches that were sent to it, not later ones', async () => {
    const { node, recover } = await startFailing(() => undefined);
    const spare = await fixture.node(onCalls(forwardTo(fixture.chain.rpcUrl)));
    const reader = fixture.reader([node.url, spare.url], {
      requestTimeoutMs: 2_000,
      standbyProbeIntervalMs: 300,
    });
    expect(await fixture.balance(reader)).toMatchObject(found);
    const requestsBefore = node.count('eth_call');
    for (let i = 0; i < 30; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    // The requests are only background probes, whose number depends on the time that the reads take.
    expect(node.count('eth_call') - requestsBefore).toBeLessThan(10);
    recover();
    await until('the node is used instead of the other one', async () => {
      const [before, ofSpare] = [node.count('eth_call'), spare.count('eth_call')];
      await fixture.balance(reader);
      return node.count('eth_call') > before && spare.count('eth_call') === ofSpare;
    });
  });

  it('node that hangs: gets no retry, only a liveness probe', async () => {
    const { node } = await startFailing(() => undefined);
    const reader = fixture.reader([node.url], { requestTimeoutMs: 2_000 });
    expect(await fixture.balance(reader)).toMatchObject(transient);
    expect(node.count('eth_call')).toBe(2);
  });
});

describe('a node with a rate limit', () => {
  it('node with a rate limit: is retried by the same read after its Retry-After', async () => {
    const limit = status(429, { 'retry-after': '1' });
    const forward = forwardTo(fixture.chain.rpcUrl);
    let calls = 0;
    const node = await fixture.node(
      onCalls((request, response) => ((calls += 1) === 1 ? limit : forward)(request, response)),
    );
    const states = recordStates();
    const reader = fixture.reader([node.url], states);
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBe(2);
    expect(states.of(0)).toEqual(['up', 'rate_limited', 'up']);
  });

  it('node with a rate limit: gets at most three attempts per read', async () => {
    for (const bad of [
      status(429, { 'retry-after': '0' }),
      rpcError(-32005, 'limit exceeded'),
      status(503),
    ]) {
      const { node } = await startFailing(bad);
      expect(await fixture.balance(fixture.reader([node.url]))).toMatchObject(transient);
      expect(node.count('eth_call')).toBe(3);
    }
  });

  it('node with a rate limit: is not awaited if its Retry-After exceeds what a read can wait', async () => {
    for (const retryAfter of ['30', new Date(Date.now() + 60_000).toUTCString()]) {
      const { node } = await startFailing(status(429, { 'retry-after': retryAfter }));
      const reader = fixture.reader([node.url]);
      for (let i = 0; i < 5; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
      expect(node.count('eth_call')).toBe(1);
    }
  });
});

describe('a node on the wrong chain', () => {
  const start = async (options: { chainIdCheckIntervalMs?: number } = {}) => {
    const script: NodeScript = { chainId: 31_337n, block: 1_000n, value: 1n };
    const node = await fixture.node(scripted(script));
    const spare = await fixture.node(scripted({ chainId: 31_337n, block: 1_000n, value: 2n }));
    const states = recordStates();
    const reader = fixture.reader([node.url, spare.url], { ...states, ...options });
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    return { script, node, states, reader };
  };

  it('node on the wrong chain: is detected at once when its block number jumps', async () => {
    for (const block of [1n, 90_000_000n]) {
      const { script, states, reader } = await start();
      Object.assign(script, { chainId: 1n, block, value: 9n });
      for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
      expect(states.of(0)).toEqual(['up', 'wrong_chain']);
    }
  });

  it('node on the wrong chain: is detected by the periodic check otherwise, and used again when it is corrected', async () => {
    const { script, states, reader } = await start({ chainIdCheckIntervalMs: 50 });
    script.chainId = 1n;
    await until('the other chain is detected', async () => {
      await fixture.balance(reader);
      return states.of(0).at(-1) === 'wrong_chain';
    });
    expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
    script.chainId = 31_337n;
    await until('the node is used again', async () => {
      const result = await fixture.balance(reader);
      return result?.ok === true && result.value === 1n;
    });
  });

  it('T44: node on the wrong chain: is detected by the next batch at the same block number', async () => {
    const { script, states, reader } = await start();
    Object.assign(script, { chainId: 1n, value: 9n });
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
    expect(states.of(0)).toEqual(['up', 'wrong_chain']);
  });

  it('node on the wrong chain: is not assumed where contracts always see another chain id than clients', async () => {
    const script = { chainId: 31_337n, evmChainId: 5n, block: 1_000n, value: 1n };
    const node = await fixture.node(scripted(script));
    const reader = fixture.reader([node.url]);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    expect(node.count('eth_chainId')).toBe(2);
  });

  it('node on the wrong chain: is still used if only its block number jumped', async () => {
    const { script, node, reader } = await start();
    script.block = 5_000n;
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n, blockNumber: 5_000n });
    expect(node.count('eth_chainId')).toBe(2);
  });
});

describe('a lagging node', () => {
  const start = async (block: bigint, options: { maxLagBlocks?: number } = {}) => {
    const script: NodeScript = { chainId: 31_337n, block, value: 1n };
    const late = await fixture.node(scripted(script));
    const spare = await fixture.node(scripted({ chainId: 31_337n, block: 1_000n, value: 2n }));
    const states = recordStates();
    const reader = fixture.reader([late.url, spare.url], {
      ...states,
      standbyProbeIntervalMs: 30,
      ...options,
    });
    await fixture.balance(reader);
    await sleep(60);
    return { script, spare, states, reader };
  };

  it('lagging node: is skipped, and used again when it has caught up', async () => {
    const { script, states, reader } = await start(996n);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
    expect(states.of(0)).toEqual(['up', 'lagging']);
    script.block = 1_000n;
    await until('the node is used again', async () => {
      const result = await fixture.balance(reader);
      return result?.ok === true && result.value === 1n;
    });
    expect(states.of(0)).toEqual(['up', 'lagging', 'up']);
  });

  it('T43: lagging node: is skipped by the first reads of a process, which are made at once', async () => {
    const late = await fixture.node(scripted({ chainId: 31_337n, block: 1_000n, value: 1n }));
    const spare = await fixture.node(scripted({ chainId: 31_337n, block: 2_000n, value: 2n }));
    const states = recordStates();
    const reader = fixture.reader([late.url, spare.url], states);
    const results = await Promise.all([fixture.balance(reader), fixture.balances(reader, 3)]);
    for (const result of results.flat()) expect(result).toMatchObject({ value: 2n });
    expect(states.of(0)).toEqual(['up', 'lagging']);
  });

  it('lagging node: counts as the newest while no other node answers', async () => {
    const late = await fixture.node(scripted({ chainId: 31_337n, block: 1_000n, value: 1n }));
    for (const down of [status(500), () => undefined]) {
      const spare = await fixture.node(down);
      expect(await fixture.balance(fixture.reader([late.url, spare.url]))).toMatchObject({ value: 1n });
    }
  });

  it('lagging node: is used up to the maximum lag', async () => {
    const { states, reader } = await start(997n);
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    expect(states.of(0)).toEqual(['up']);
    const { reader: strict } = await start(999n, { maxLagBlocks: 0 });
    expect(await fixture.balance(strict)).toMatchObject({ value: 2n });
  });

  it('is not used even if no other node responds: its results would be too old', async () => {
    const { script, spare, reader } = await start(1_000n);
    await spare.stop();
    script.block = 900n;
    expect(await fixture.balance(reader)).toMatchObject(transient);
  });
});
