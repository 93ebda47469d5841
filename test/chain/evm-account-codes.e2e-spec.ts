import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createAccountCodeRead, createErc20BalanceRead, type EvmReader } from '@app/chain/evm';
import type { Address, Hex } from 'viem';
import { found, holder, HostileNodeFixture, transient } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, type NodeBehaviour, reply } from '../support/hostile-node.js';

const DELEGATED: Address = '0x00000000000000000000000000000000000000d1';
const CONTRACT: Address = '0x00000000000000000000000000000000000000c1';
const SHORT_CONTRACT: Address = '0x00000000000000000000000000000000000000c2';
const MALFORMED_DESIGNATOR: Address = '0x00000000000000000000000000000000000000c3';

let fixture: HostileNodeFixture;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
  const setCode = (address: Address, bytecode: Hex) => fixture.chain.client.setCode({ address, bytecode });
  await setCode(DELEGATED, `0xef0100${fixture.erc20.address.slice(2).toLowerCase() as ''}`);
  await setCode(CONTRACT, `0x${'5b'.repeat(24_576)}`);
  await setCode(SHORT_CONTRACT, `0x${'5b'.repeat(23)}`);
  // 24 bytes, which no designator has.
  await setCode(MALFORMED_DESIGNATOR, `0x5fef0100${'11'.repeat(20)}`);
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const forward = (): NodeBehaviour => forwardTo(fixture.chain.rpcUrl);

/** The node refuses to tell codes: `answer` replaces its response. */
const onCode =
  (answer: NodeBehaviour): NodeBehaviour =>
  (request, response) =>
    (request.method === 'eth_getCode' ? answer : forward())(request, response);

const claimCode = (code: string): NodeBehaviour =>
  onCode(({ id }, response) => {
    reply(response, id, { result: code });
  });

const start = async (
  behaviours: readonly NodeBehaviour[],
  options: { quorum?: number; blockTime?: number } = {},
): Promise<{ reader: EvmReader; nodes: HostileNode[] }> => {
  const nodes: HostileNode[] = [];
  for (const behaviour of behaviours) nodes.push(await fixture.node(behaviour));
  return {
    nodes,
    reader: fixture.reader(
      nodes.map(({ url }) => url),
      {},
      options,
    ),
  };
};

const error = (id: number | null) => ({
  ...{ jsonrpc: '2.0', id },
  error: { code: -32_600, message: 'batches are not supported' },
});

const readCode = async (reader: EvmReader, account: string) =>
  (await reader.read(fixture.chain.chainId, [createAccountCodeRead(account)]))[0];

const readBoth = (reader: EvmReader, account: string) =>
  reader.read<bigint | boolean>(fixture.chain.chainId, [
    createErc20BalanceRead(fixture.erc20.address, holder),
    createAccountCodeRead(account),
  ]);

describe('the code of an account', () => {
  it.each([
    ['an externally owned account', holder, false],
    ['an account that delegates by EIP-7702', DELEGATED, false],
    ['a contract of 24,576 bytes', CONTRACT, true],
    ['a contract of 23 bytes', SHORT_CONTRACT, true],
    ['a contract that begins like no designator', MALFORMED_DESIGNATOR, true],
  ])('code of an account: that of %s says whether it is a contract', async (_, account, isContract) => {
    const { reader } = await start([forward()]);
    expect(await readCode(reader, account)).toMatchObject({ ok: true, value: isContract });
  });

  it('code of an account: travels in the JSON-RPC batch of the calls, and calls alone in no batch', async () => {
    const { reader, nodes } = await start([forward()]);
    await fixture.balance(reader);
    expect(await readBoth(reader, CONTRACT)).toMatchObject([found, { ok: true, value: true }]);
    expect(nodes[0]?.batches).toEqual([['eth_call', 'eth_getCode']]);
    expect(nodes[0]?.methods).toEqual(['eth_chainId', 'eth_call']);
  });

  it('code of an account: is read at most 49 times in one batch', async () => {
    const { reader, nodes } = await start([forward()]);
    const accounts = Array.from({ length: 120 }, (_, n) => `0x${(n + 1_000).toString(16).padStart(40, '0')}`);
    const results = await reader.read(
      fixture.chain.chainId,
      [...accounts, CONTRACT].map(createAccountCodeRead),
    );
    expect(results.map((result) => result.ok && result.value)).toEqual([...accounts.map(() => false), true]);
    expect(nodes[0]?.batches.map(({ length }) => length)).toEqual([50, 50, 24]);
  });

  it('code of an account: is cached for the block like a balance', async () => {
    const { reader, nodes } = await start([forward()], { blockTime: 600_000 });
    await readBoth(reader, CONTRACT);
    expect(await readBoth(reader, CONTRACT)).toMatchObject([found, { ok: true, value: true }]);
    expect(nodes[0]?.batches).toHaveLength(1);
  });

  it('code of an account: is read from another node when the first one does not tell it, and the calls are kept', async () => {
    const refused = onCode(({ id }, response) => {
      reply(response, id, { error: { code: -32_601, message: 'method not found' } });
    });
    const { reader, nodes } = await start([refused, forward()]);
    expect(await readBoth(reader, CONTRACT)).toMatchObject([found, { ok: true, value: true }]);
    expect(nodes[1]?.methods).toContain('eth_getCode');
  });

  it.each([
    ['an error', { error: { code: -32_000, message: 'no' } }],
    ['a revert', { error: { code: 3, message: 'execution reverted' } }],
    ['no hex', { result: 'none' }],
    ['half a byte', { result: '0x0' }],
    ['null', { result: null }],
  ])(
    'code of an account: is a transient failure when every node answers with %s, and the calls succeed',
    async (_, body) => {
      const answer: NodeBehaviour = ({ id }, response) => {
        reply(response, id, body);
      };
      const { reader } = await start([onCode(answer)]);
      expect(await readBoth(reader, CONTRACT)).toMatchObject([
        found,
        { ...transient, code: expect.any(String) },
      ]);
    },
  );

  it.each<[string, NodeBehaviour]>([
    [
      'an unknown method',
      ({ id }, response) => {
        reply(response, id, { error: { code: -32_601, message: 'method not found' } });
      },
    ],
    [
      'HTTP 405',
      (_, response) => {
        response.statusCode = 405;
        response.end();
      },
    ],
    [
      'no hex',
      ({ id }, response) => {
        reply(response, id, { result: '0x0' });
      },
    ],
  ])(
    'code of an account: a refusal of the only node with %s does not take the node from other reads',
    async (_, refusal) => {
      const { reader } = await start([onCode(refusal)]);
      for (let round = 0; round < 4; round += 1)
        await reader.read(fixture.chain.chainId, [CONTRACT, DELEGATED].map(createAccountCodeRead));
      expect(await fixture.balance(reader)).toMatchObject(found);
    },
  );

  it.each<[string, (ids: number[]) => { status?: number; body: unknown }]>([
    ['HTTP 400', () => ({ status: 400, body: '' })],
    ['HTTP 500', () => ({ status: 500, body: '' })],
    ['one error', () => ({ body: error(null) })],
    ['one error in a list', () => ({ body: [error(null)] })],
    ['the first response alone', ([id]) => ({ body: { jsonrpc: '2.0', id, result: '0x' } })],
    ['an error for each request', (ids) => ({ body: ids.map(error) })],
  ])(
    'code of an account: is read beside the calls from a node that refuses a batch with %s, which stays up',
    async (_, refuse) => {
      const { reader, nodes } = await start([forward()]);
      const [node] = nodes;
      if (!node) throw new Error('There is no node');
      node.refuseBatch = (response, requests) => {
        const { status = 200, body } = refuse(requests.map(({ id }) => id));
        response.statusCode = status;
        response.end(JSON.stringify(body));
        return true;
      };
      for (let round = 0; round < 4; round += 1)
        expect(await readBoth(reader, CONTRACT)).toMatchObject([found, { ok: true, value: true }]);
      expect(await readBoth(reader, DELEGATED)).toMatchObject([found, { ok: true, value: false }]);
      expect(await fixture.balance(reader)).toMatchObject(found);
    },
  );

  it('needs the quorum that balances need: one node that hides a contract makes it unknown, not absent', async () => {
    const { reader } = await start([claimCode('0x'), forward()], { quorum: 2 });
    expect(await readBoth(reader, CONTRACT)).toMatchObject([found, transient]);
    const { reader: ofThree } = await start([claimCode('0x'), forward(), forward()], { quorum: 2 });
    expect(await readBoth(ofThree, CONTRACT)).toMatchObject([found, { ok: true, value: true }]);
  });
});
