import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  encodeBatchResult,
  found,
  HostileNodeFixture,
  rpcError,
  transient,
  word,
} from '../support/hostile-node-fixture.js';
import { forwardTo, HostileNode, type NodeBehaviour, onCalls, reply } from '../support/hostile-node.js';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

function text(status: number, body: string, type = 'application/json'): NodeBehaviour {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
}

const result =
  (value: unknown): NodeBehaviour =>
  (request, response) => {
    reply(response, request.id, { result: value });
  };

/** Well-formed but wrong: a zero balance, the local chain, block 5, sufficient gas. */
const zeroBalanceResult = encodeBatchResult(word(0n), word(31_337n), word(5n), word(1n));

const faults: [string, NodeBehaviour][] = [
  ['never answers', () => undefined],
  ['stops in the middle', (_, response) => void response.write('{"jsonrpc":')],
  ['hangs up', (_, response) => void response.destroy()],
  ['answers 429', text(429, '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"slow down"}}')],
  ['answers 500', text(500, 'oops')],
  ['answers 503 with an endless body', (_, response) => void response.writeHead(503).write('...')],
  ['redirects', (_, response) => void response.writeHead(307, { location: fixture.chain.rpcUrl }).end()],
  ['answers HTML', text(200, '<html>Welcome</html>', 'text/html')],
  ['answers truncated JSON', text(200, '{"jsonrpc":"2.0","id":2,"result":"0x00')],
  ['answers null', text(200, 'null')],
  ['answers a list', text(200, '[]')],
  [
    'answers another id',
    (_, response) => {
      reply(response, 4711, { result: zeroBalanceResult });
    },
  ],
  [
    'answers an id of another type',
    (request, response) => {
      reply(response, String(request.id), { result: zeroBalanceResult });
    },
  ],
  ['answers -32005', rpcError(-32005, 'daily request count exceeded, request rate limited')],
  ['answers -32000', rpcError(-32000, 'header not found')],
  ['answers -32603', rpcError(-32603, 'internal error')],
  [
    'answers a malformed error',
    (request, response) => {
      reply(response, request.id, { error: 'no' });
    },
  ],
  ['answers a text that is not hex', result('zero')],
  ['answers a number', result(0)],
  ['answers an odd number of digits', result('0x0')],
  ['answers a batch with empty data', result('0x')],
  ['answers a batch with zeros', result(`0x${'0'.repeat(640)}`)],
  ['answers a batch with ones', result(`0x${'f'.repeat(640)}`)],
];

/** A bad node alone fails in any case; a good one beside it needs time on a busy machine. */
const ALONE = { requestTimeoutMs: 300 };
const BESIDE_A_GOOD_ONE = { requestTimeoutMs: 2_000 };

describe('one bad node', () => {
  const expectFailover = async (bad: HostileNode): Promise<void> => {
    expect(await fixture.balance(fixture.reader([bad.url], ALONE))).toMatchObject(transient);
    const both = fixture.reader([bad.url, fixture.chain.rpcUrl], BESIDE_A_GOOD_ONE);
    expect(await fixture.balance(both)).toMatchObject(found);
  };

  it.each(faults)(
    'bad node that %s: is a transient failure alone, and fails over to a good one',
    async (_, fault) => {
      await expectFailover(await fixture.node(onCalls(fault)));
    },
  );

  it.each(faults.slice(0, 14))(
    'bad node that %s to eth_chainId: is a transient failure too',
    async (_, fault) => {
      const bad = await fixture.node(fault);
      await expectFailover(bad);
      expect(bad.count('eth_call')).toBe(0);
    },
  );

  it('bad node that refuses connections: fails over to a good one', async () => {
    const stopped = await HostileNode.start(() => undefined);
    await stopped.stop();
    expect(await fixture.balance(fixture.reader([stopped.url]))).toMatchObject(transient);
    expect(await fixture.balance(fixture.reader([stopped.url, fixture.chain.rpcUrl]))).toMatchObject(found);
  });

  it('bad node on the wrong chain: gets no request but eth_chainId', async () => {
    const wrong = await fixture.node((request, response) => {
      reply(response, request.id, {
        result: request.method === 'eth_chainId' ? '0x1' : `0x${'0'.repeat(640)}`,
      });
    });
    const alone = fixture.reader([wrong.url]);
    for (let i = 0; i < 3; i += 1) expect(await fixture.balance(alone)).toMatchObject(transient);
    expect(await fixture.balance(fixture.reader([wrong.url, fixture.chain.rpcUrl]))).toMatchObject(found);
    expect(wrong.methods).toEqual(['eth_chainId', 'eth_chainId']);
  });

  it('bad EVM node: is used again when it has recovered', async () => {
    let down = true;
    const forward = forwardTo(fixture.chain.rpcUrl);
    const node = await fixture.node((request, response) =>
      down ? text(500, '')(request, response) : forward(request, response),
    );
    const reader = fixture.reader([node.url]);
    expect(await fixture.balance(reader)).toMatchObject(transient);
    down = false;
    expect(await fixture.balance(reader)).toMatchObject(found);
  });

  it('bad EVM node: is not retried for every part of a batch at a rate limit', async () => {
    const bad = await fixture.node(onCalls(rpcError(-32005, 'limit exceeded')));
    const results = await fixture.balances(fixture.reader([bad.url]), 500);
    expect(results.every((result) => !result.ok && !result.permanent)).toBe(true);
    expect(bad.count('eth_call')).toBeLessThanOrEqual(3);
  });

  it('bad EVM node: does not leak its URL in a message', async () => {
    const bad = await fixture.node(text(500, 'secret'));
    const result = await fixture.balance(fixture.reader([`${bad.url}/v2/secret?key=secret`]));
    expect(JSON.stringify(result)).not.toMatch(/secret|127\.0\.0\.1/);
  });
});
