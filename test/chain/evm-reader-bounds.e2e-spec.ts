import { type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createErc20BalanceRead, type NodeCallReport, type ReadResult } from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { type Hex } from 'viem';
import {
  encodeBatchResult,
  found,
  holder,
  HostileNodeFixture,
  rpcError,
  transient,
  word,
} from '../support/hostile-node-fixture.js';
import { forwardTo, onCalls, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

function writeBytes(response: ServerResponse, bytes: number, onSent: (bytes: number) => void): void {
  const block = Buffer.alloc(65_536, '0');
  const next = (): void => {
    while (bytes > 0 && !response.destroyed) {
      bytes -= block.length;
      onSent(block.length);
      if (!response.write(block)) {
        response.once('drain', next);
        return;
      }
    }
    response.end();
  };
  next();
}

describe('bounds', () => {
  it('EvmReader: aborts an endless response at the limit', async () => {
    let sent = 0;
    const flood = await fixture.node(
      onCalls((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        writeBytes(response, 200_000_000, (bytes) => (sent += bytes));
      }),
    );
    const before = process.memoryUsage().rss;
    expect(
      await fixture.balance(fixture.reader([flood.url, fixture.chain.rpcUrl], { requestTimeoutMs: 8_000 })),
    ).toMatchObject(found);
    expect(sent).toBeLessThan(30_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
    expect(await fixture.balance(fixture.reader([flood.url], { requestTimeoutMs: 8_000 }))).toMatchObject(
      transient,
    );
  });

  it('EvmReader: splits a batch that a node rejects as too large', async () => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    const small = await fixture.node((request, response) => {
      if (JSON.stringify(request.params).length < 50_000) return forward(request, response);
      reply(response, request.id, { error: { code: -32000, message: 'response too large' } });
    });
    const results = await fixture.balances(fixture.reader([small.url], { requestTimeoutMs: 3_000 }), 300);
    expect(results.filter((result) => result.ok)).toHaveLength(300);
    expect(results[0xa0]).toMatchObject(found);
    expect(small.count('eth_call')).toBeLessThan(20);
  });

  it.each([
    ['accepts a batch without the gas sentinel if the chain lacks its precompile', '0x' as const, 77n, 4],
    ['discards a batch whose gas sentinel failed if the chain has the precompile', word(1n), 78n, 7],
  ])('EvmReader: %s', async (_, sentinel, value, calls) => {
    const batch = encodeBatchResult(word(77n), word(31_337n), word(5n), '0x');
    const node = await fixture.node(
      onCalls((request, response) => {
        const [{ to }] = request.params as [{ to: EvmAddress }];
        const resultsByTarget = new Map<string, Hex>([
          ['0x0000000000000000000000000000000000000008', sentinel],
          [fixture.erc20.address.toLowerCase(), word(78n)],
        ]);
        reply(response, request.id, { result: resultsByTarget.get(to) ?? batch });
      }),
    );
    const reader = fixture.reader([node.url]);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject({ ok: true, value });
    expect(node.count('eth_call')).toBe(calls);
  });

  it('EvmReader: collects reads into one batch while the maximum of batches is in flight', async () => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const node = await fixture.node(
      onCalls(async (request, response) => {
        if (node.count('eth_call') === 1) await held;
        await forward(request, response);
      }),
    );
    const reader = fixture.reader([node.url], { maxInFlight: 1, requestTimeoutMs: 5_000 });
    const first = fixture.balance(reader);
    await until('the first batch is sent', () => node.count('eth_call') > 0);
    const later: Promise<ReadResult<bigint> | undefined>[] = [];
    for (let i = 0; i < 5; i += 1) {
      later.push(fixture.balance(reader));
      await tick();
    }
    release();
    expect(await Promise.all([first, ...later])).toMatchObject(Array(6).fill(found));
    expect(node.count('eth_call')).toBe(2);
  });

  it('EvmReader: does not send reads that were abandoned', async () => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    const sentParams: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const node = await fixture.node(
      onCalls(async (request, response) => {
        sentParams.push(JSON.stringify(request.params));
        if (sentParams.length === 1) await held;
        await forward(request, response);
      }),
    );
    const reader = fixture.reader([node.url], { maxInFlight: 1, requestTimeoutMs: 5_000 });
    const first = fixture.balance(reader);
    await until('the first batch is sent', () => node.count('eth_call') > 0);
    const account = '0x00000000000000000000000000000000deadbeef';
    const read = [createErc20BalanceRead(fixture.erc20.address, account)];
    const [abandoned] = await reader.read(fixture.chain.chainId, read, { signal: AbortSignal.timeout(30) });
    expect(abandoned).toMatchObject({ ok: false, code: 'timeout' });
    release();
    expect(await first).toMatchObject(found);
    expect(await fixture.balance(reader)).toMatchObject(found);
    expect(sentParams.filter((params) => params.includes('deadbeef'))).toEqual([]);
  });

  it('EvmReader: bounds the calls that one batch can cause', async () => {
    const bad = await fixture.node(onCalls(rpcError(-32000, 'out of gas')));
    await fixture.balances(fixture.reader([bad.url]), 500);
    expect(bad.count('eth_call')).toBeLessThanOrEqual(128);
  });

  it.each(['its budget', 'its signal'])('EvmReader: fails with a timeout when %s ends', async (which) => {
    const slow = await fixture.node(onCalls(() => undefined));
    const reader = fixture.reader([slow.url], {
      requestTimeoutMs: 60_000,
      budgetMs: which === 'its budget' ? 100 : 60_000,
    });
    const signal = which === 'its signal' ? AbortSignal.timeout(100) : undefined;
    const results = await reader.read(
      fixture.chain.chainId,
      [createErc20BalanceRead(fixture.erc20.address, holder)],
      {
        signal,
      },
    );
    expect(results).toMatchObject([{ ok: false, permanent: false, code: 'timeout' }]);
  });

  it('EvmReader: keeps few connections and closes them all', async () => {
    const node = await fixture.node(forwardTo(fixture.chain.rpcUrl));
    const calls: NodeCallReport[] = [];
    const reader = fixture.reader([node.url], {
      requestTimeoutMs: 3_000,
      onNodeCall: (call) => calls.push(call),
    });
    for (let i = 0; i < 20; i += 1) expect(await fixture.balance(reader)).toMatchObject(found);
    expect(node.sockets.size).toBeLessThanOrEqual(2);
    expect(calls).toHaveLength(21);
    expect(calls.every(({ outcome }) => outcome === 'answered')).toBe(true);
    await reader.close();
    expect(await fixture.balance(reader)).toMatchObject(transient);
    await Promise.all(
      [...node.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
    expect(node.sockets.size).toBe(0);
  });

  it('EvmReader: closes the connections of aborted requests', async () => {
    const slow = await fixture.node(onCalls(() => undefined));
    const reader = fixture.reader([slow.url], { requestTimeoutMs: 2_000 });
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(reader)).toMatchObject(transient);
    // Each read makes an attempt and a liveness probe.
    expect(slow.count('eth_call')).toBe(6);
    expect(slow.sockets.size).toBeLessThanOrEqual(2);
  });

  it('EvmReader: fails pending reads when it is closed', async () => {
    const slow = await fixture.node(onCalls(() => undefined));
    const reader = fixture.reader([slow.url], { requestTimeoutMs: 60_000 });
    const pending = fixture.balance(reader);
    await until('the first batch is sent', () => slow.count('eth_call') > 0);
    await reader.close();
    expect(await pending).toMatchObject(transient);
  });
});
