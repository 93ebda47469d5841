import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { type BlockSpan, isLogRangeRefusal, LogRange } from './log-range.js';

const REFUSAL = new Error('eth_getLogs is limited to a 10 block range');

/** Reads a span to its end. @returns the answered spans, and how many requests were made */
async function readAll(
  range: LogRange,
  span: BlockSpan,
  { limit, backwards = false }: { readonly limit: bigint; readonly backwards?: boolean },
): Promise<{ spans: BlockSpan[]; requests: number }> {
  const spans: BlockSpan[] = [];
  let requests = 0;
  let { fromBlock, toBlock } = span;
  while (fromBlock <= toBlock) {
    const read = await range.read(
      { fromBlock, toBlock },
      (asked) => {
        requests += 1;
        return asked.toBlock - asked.fromBlock + 1n > limit ? Promise.reject(REFUSAL) : Promise.resolve(true);
      },
      { backwards },
    );
    spans.push({ fromBlock: read.fromBlock, toBlock: read.toBlock });
    if (backwards) toBlock = read.fromBlock - 1n;
    else fromBlock = read.toBlock + 1n;
  }
  return { spans: backwards ? spans.reverse() : spans, requests };
}

describe('LogRange', () => {
  it('LogRange: covers every block once in both directions, whatever the node serves', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(0n, 500n),
        fc.bigInt(0n, 3_000n),
        fc.bigInt(1n, 1_500n),
        fc.boolean(),
        async (fromBlock, count, limit, backwards) => {
          const span = { fromBlock, toBlock: fromBlock + count };
          const { spans } = await readAll(new LogRange(1_000n), span, { limit, backwards });
          let next = fromBlock;
          for (const { fromBlock: first, toBlock: last } of spans) {
            expect(first).toBe(next);
            expect(last - first).toBeLessThan(limit);
            next = last + 1n;
          }
          expect(next).toBe(span.toBlock + 1n);
        },
      ),
    );
  });

  it('LogRange: asks a node of ten blocks for ten blocks, with few refusals', async () => {
    const { requests } = await readAll(
      new LogRange(1_000n),
      { fromBlock: 1n, toBlock: 10_000n },
      { limit: 10n },
    );
    // 1,000 answers would do; each 64 of them are followed by an attempt at more.
    expect(requests).toBeLessThan(1_200);
  });

  it('LogRange: grows to its maximum again when the node serves more', async () => {
    const range = new LogRange(1_000n);
    await readAll(range, { fromBlock: 1n, toBlock: 100n }, { limit: 10n });
    const { spans } = await readAll(range, { fromBlock: 1n, toBlock: 20_000n }, { limit: 5_000n });
    expect(spans.at(-2)).toEqual({
      fromBlock: (spans.at(-2)?.toBlock ?? 0n) - 999n,
      toBlock: spans.at(-2)?.toBlock,
    });
  });

  it('LogRange: rejects with what the node says of a single block', async () => {
    await expect(readAll(new LogRange(1_000n), { fromBlock: 1n, toBlock: 9n }, { limit: 0n })).rejects.toBe(
      REFUSAL,
    );
  });
});

describe('isLogRangeRefusal', () => {
  it.each([
    [-32_600, 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.'],
    [-32_602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range'],
    [-32_005, 'query returned more than 10000 results'],
    [-32_614, 'eth_getLogs is limited to a 10,000 range'],
    [-32_005, 'limit exceeded'],
    [-32_000, 'exceed maximum block range: 5000'],
    [-32_047, "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800"],
    [-32_000, 'requested too many blocks from 1 to 4000, maximum is set to 2048'],
    [35, 'ranges over 10000 blocks are not supported on freetier'],
    [-32_000, 'eth_getLogs and eth_newFilter are limited to 5000 blocks range'],
    [-32_005, 'Requested range exceeds maximum RPC range limit'],
    [-32_602, 'query exceeds max block range 100000'],
    [-32_602, 'query exceeds max results 20000, retry with the range 1-2'],
    [-32_005, 'Too many logs requested. Max logs per response is 20000.'],
    [-32_000, 'Block range limit exceeded.'],
    [-32_602, 'block range is too wide'],
    [-32_000, 'query timeout exceeded'],
    [-32_020, 'backend response too large'],
    [-32_602, 'please limit the query to at most 1000 blocks'],
  ])('isLogRangeRefusal: recognises %s %s', (code, message) => {
    expect(isLogRangeRefusal(Object.assign(new Error(message), { code }))).toBe(true);
    const wrapped = new Error('the request failed', { cause: { code, message } });
    expect(isLogRangeRefusal(wrapped)).toBe(true);
  });

  it('isLogRangeRefusal: recognises HTTP 413', () => {
    expect(isLogRangeRefusal(new Error('status 413 without an answer of JSON-RPC'))).toBe(true);
  });

  it('isLogRangeRefusal: recognises an answer that is longer than the bound', () => {
    expect(isLogRangeRefusal(new RpcNodeError('too_heavy', 'the answer was too large'))).toBe(true);
  });

  it.each([
    [-32_005, 'daily request count exceeded, request rate limited'],
    [429, 'Your app has exceeded its compute units per second capacity'],
    [-32_000, 'invalid block range params'],
    [-32_000, 'block range extends beyond current head block'],
    [-32_603, 'internal error'],
    [-32_601, 'the method eth_getLogs does not exist'],
    [-32_000, 'header not found'],
  ])('isLogRangeRefusal: takes %s %s for another failure', (code, message) => {
    expect(isLogRangeRefusal(Object.assign(new Error(message), { code }))).toBe(false);
  });
});
