import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeState, type NodeStateReport } from '@app/chain/evm';
import { found, HostileNodeFixture, rpcError, transient } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, type NodeBehaviour, onCalls } from '../support/hostile-node.js';
import { type NodeScript, scripted } from '../support/scripted-node.js';

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

/** A node that behaves badly until it is told to recover. */
async function failing(bad: NodeBehaviour): Promise<{ node: HostileNode; recover: () => void }> {
  let behaviour = bad;
  const node = await fixture.node(onCalls((request, response) => behaviour(request, response)));
  return { node, recover: () => (behaviour = forwardTo(fixture.chain.rpcUrl)) };
}

/** The states of the nodes as they were told, last one last. */
function watch(): { onNodeState: (report: NodeStateReport) => void; of: (node: number) => NodeState[] } {
  const reports: NodeStateReport[] = [];
  return {
    onNodeState: (report) => reports.push(report),
    of: (node) => reports.filter((report) => report.node === node).map(({ state }) => state),
  };
}

async function eventually(check: () => Promise<boolean> | boolean): Promise<void> {
  for (let i = 0; i < 200 && !(await check()); i += 1) await sleep(25);
  expect(await check()).toBe(true);
}

describe('a node that fails again and again', () => {
  it('is left alone, and asked again when a probe found it well', async () => {
    const { node, recover } = await failing(status(500));
    const states = watch();
    const reader = fixture.reader([node.url, fixture.chain.rpcUrl], states);
    for (let i = 0; i < 12; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBeLessThan(8);
    expect(states.of(0)).toEqual(['up', 'breaker_open']);
    recover();
    await eventually(
      async () => (await fixture.balance(reader))?.ok === true && states.of(0).at(-1) === 'up',
    );
    const before = node.count('eth_call');
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBe(before + 1);
  });

  it('is a quick failure when there is no other', async () => {
    const { node, recover } = await failing(status(500));
    const reader = fixture.reader([node.url]);
    for (let i = 0; i < 5; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    const before = node.asked.length;
    for (let i = 0; i < 20; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    expect(node.asked.length - before).toBeLessThan(5);
    recover();
    await eventually(async () => (await fixture.balance(reader))?.ok === true);
  });
});

describe('a node that hangs', () => {
  it('costs its time-out to the batches that met it, not to those after', async () => {
    const { node, recover } = await failing(() => undefined);
    const reader = fixture.reader([node.url, fixture.chain.rpcUrl], {
      requestTimeoutMs: 400,
      standbyProbeIntervalMs: 300,
    });
    expect(await fixture.balance(reader)).toMatchObject(found);
    const met = node.count('eth_call');
    for (let i = 0; i < 30; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    // At most probes, which nobody waits for.
    expect(node.count('eth_call') - met).toBeLessThan(3);
    recover();
    await eventually(async () => {
      const before = node.count('eth_call');
      await fixture.balance(reader);
      return node.count('eth_call') > before;
    });
  });

  it('is not asked twice by one question, but for a sign of life', async () => {
    const { node } = await failing(() => undefined);
    expect(await fixture.balance(fixture.reader([node.url]))).toMatchObject(transient);
    expect(node.count('eth_call')).toBe(2);
  });
});

describe('a node that limits our rate', () => {
  it('is left alone for as long as it asks, then asked again by the same read', async () => {
    const { node, recover } = await failing(status(429, { 'retry-after': '1' }));
    const states = watch();
    const reader = fixture.reader([node.url], states);
    setTimeout(recover, 500);
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.count('eth_call')).toBe(2);
    expect(states.of(0)).toEqual(['up', 'rate_limited', 'up']);
  });

  it('is asked at most three times by one read', async () => {
    for (const bad of [
      status(429, { 'retry-after': '0' }),
      rpcError(-32005, 'limit exceeded'),
      status(503),
    ]) {
      const { node } = await failing(bad);
      expect(await fixture.balance(fixture.reader([node.url]))).toMatchObject(transient);
      expect(node.count('eth_call')).toBe(3);
    }
  });

  it('is not waited for when it wants to rest longer than a read can wait', async () => {
    for (const retryAfter of ['30', new Date(Date.now() + 60_000).toUTCString()]) {
      const { node } = await failing(status(429, { 'retry-after': retryAfter }));
      const reader = fixture.reader([node.url]);
      for (let i = 0; i < 5; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
      expect(node.count('eth_call')).toBe(1);
    }
  });
});

describe('a node on the wrong chain', () => {
  const start = async (options: { recheckMs?: number } = {}) => {
    const script: NodeScript = { chainId: 31_337n, block: 1_000n, value: 1n };
    const node = await fixture.node(scripted(script));
    const spare = await fixture.node(scripted({ chainId: 31_337n, block: 1_000n, value: 2n }));
    const states = watch();
    const reader = fixture.reader([node.url, spare.url], { ...states, ...options });
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    return { script, node, states, reader };
  };

  it('is found out at once when its block number jumps', async () => {
    for (const block of [1n, 90_000_000n]) {
      const { script, states, reader } = await start();
      Object.assign(script, { chainId: 1n, block, value: 9n });
      for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
      expect(states.of(0)).toEqual(['up', 'wrong_chain']);
    }
  });

  it('is found out after a while when it does not, and taken back when it is mended', async () => {
    const { script, states, reader } = await start({ recheckMs: 50 });
    script.chainId = 1n;
    await eventually(async () => {
      await fixture.balance(reader);
      return states.of(0).at(-1) === 'wrong_chain';
    });
    expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
    script.chainId = 31_337n;
    await eventually(async () => {
      const outcome = await fixture.balance(reader);
      return outcome?.ok === true && outcome.value === 1n;
    });
  });

  it('is still believed when only its block number jumped', async () => {
    const { script, node, reader } = await start();
    script.block = 5_000n;
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n, blockNumber: 5_000n });
    expect(node.count('eth_chainId')).toBe(2);
  });
});

describe('a node that is behind', () => {
  const start = async (block: bigint, options: { maxLagBlocks?: number } = {}) => {
    const script: NodeScript = { chainId: 31_337n, block, value: 1n };
    const late = await fixture.node(scripted(script));
    const spare = await fixture.node(scripted({ chainId: 31_337n, block: 1_000n, value: 2n }));
    const states = watch();
    const reader = fixture.reader([late.url, spare.url], {
      ...states,
      standbyProbeIntervalMs: 30,
      ...options,
    });
    // The first read is not compared with anything: the other node has told nothing yet.
    await fixture.balance(reader);
    await sleep(60);
    return { script, spare, states, reader };
  };

  it('is skipped, and taken back when it has caught up', async () => {
    const { script, states, reader } = await start(996n);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ value: 2n });
    expect(states.of(0)).toEqual(['up', 'lagging']);
    script.block = 1_000n;
    await eventually(async () => {
      const outcome = await fixture.balance(reader);
      return outcome?.ok === true && outcome.value === 1n;
    });
    expect(states.of(0)).toEqual(['up', 'lagging', 'up']);
  });

  it('is asked as long as it is no more behind than it may', async () => {
    const { states, reader } = await start(997n);
    expect(await fixture.balance(reader)).toMatchObject({ value: 1n });
    expect(states.of(0)).toEqual(['up']);
    const { reader: strict } = await start(999n, { maxLagBlocks: 0 });
    expect(await fixture.balance(strict)).toMatchObject({ value: 2n });
  });

  it('is no answer when it is the only one that answers: it would be too old', async () => {
    const { script, spare, reader } = await start(1_000n);
    await spare.stop();
    script.block = 900n;
    expect(await fixture.balance(reader)).toMatchObject(transient);
  });
});
