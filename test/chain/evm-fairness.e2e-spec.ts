import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createErc20BalanceRead,
  createErc721OwnerRead,
  type EvmReader,
  type ReadResult,
  type ContractRead,
} from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { HostileNodeFixture } from '../support/hostile-node-fixture.js';
import { forwardTo, type HostileNode, onCalls, reply } from '../support/hostile-node.js';
import { type DeployedContract } from '../support/local-chain.js';

const chainId = 31_337;

let fixture: HostileNodeFixture;
let burner: DeployedContract;

beforeAll(async () => {
  fixture = await HostileNodeFixture.start();
  burner = await fixture.chain.deploy('GasBurner');
});

afterEach(() => fixture.endReadersAndNodes());
afterAll(() => fixture.chain.stop());

const createAddress = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
const honest = (count: number, from = 500): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) =>
    createErc20BalanceRead(fixture.erc20.address, createAddress(from + i)),
  );
const areAllOk = (results: readonly ReadResult<unknown>[]): boolean => results.every(({ ok }) => ok);
const getCodes = (results: readonly ReadResult<unknown>[]): Set<string> =>
  new Set(results.map((result) => (result.ok ? 'ok' : result.code)));

async function start(
  options: { maxInFlight?: number } = {},
): Promise<{ node: HostileNode; reader: EvmReader; quarantined: number[] }> {
  const node = await fixture.node(onCalls(forwardTo(fixture.chain.rpcUrl)));
  const quarantined: number[] = [];
  const reader = fixture.reader([node.url], {
    requestTimeoutMs: 8_000,
    onQuarantine: ({ contracts }) => quarantined.push(contracts),
    ...options,
  });
  return { node, reader, quarantined };
}

describe('a request of thousands of reads', () => {
  it('request of thousands of reads: does not delay a single read of another caller, which goes into the next batch', async () => {
    const { node, reader } = await start({ maxInFlight: 1 });
    const large = reader.read(chainId, honest(6_000, 10_000));
    while (node.count('eth_call') < 2) await new Promise((resolve) => setImmediate(resolve));
    const before = node.count('eth_call');
    expect(areAllOk(await reader.read(chainId, honest(1)))).toBe(true);
    expect(node.count('eth_call') - before).toBeLessThanOrEqual(2);
    expect(areAllOk(await large)).toBe(true);
    expect(node.count('eth_call')).toBeLessThanOrEqual(13);
  });
});

describe('a caller that reads a gas burner', () => {
  const copyCode = async (contract: DeployedContract, ...addresses: EvmAddress[]): Promise<void> => {
    const bytecode = (await fixture.chain.client.getCode(contract)) ?? '0x';
    for (const address of addresses) await fixture.chain.client.setCode({ address, bytecode });
  };
  const tokens = Array.from({ length: 10 }, (_, i) => createAddress(0xf00d00 + i));
  /** Callers that each read a few balances of a token of their own. */
  const startOtherCallers = (reader: EvmReader): Promise<ReadResult<bigint>[]>[] =>
    tokens.map((token) =>
      reader.read(
        chainId,
        Array.from({ length: 5 }, (_, i) => createErc20BalanceRead(token, createAddress(i + 1))),
      ),
    );

  it.each([
    ['hundreds of ids of one contract', () => Array.from({ length: 450 }, () => burner.address)],
    ['hundreds of contracts', () => Array.from({ length: 300 }, (_, i) => createAddress(0xbad000 + i))],
  ])('does not affect other callers, and costs few calls: %s', async (_, createContracts) => {
    const { node, reader } = await start();
    const contracts = createContracts();
    await copyCode(burner, ...new Set(contracts));
    await copyCode(fixture.erc20, ...tokens);
    let callsUntilAnswered = 0;
    const attack = reader.read(
      chainId,
      contracts.map((address, id) => createErc721OwnerRead(address, BigInt(id))),
    );
    const others = startOtherCallers(reader).map(async (reads) => {
      const results = await reads;
      callsUntilAnswered = Math.max(callsUntilAnswered, node.count('eth_call'));
      return results;
    });
    for (const results of await Promise.all(others)) expect(areAllOk(results)).toBe(true);
    // The reads of others are answered before the misbehaving contract is found.
    expect(callsUntilAnswered).toBeLessThan(30);
    const results = await attack;
    expect([...getCodes(results)].sort()).toEqual(['out_of_gas', 'unavailable']);
    expect(node.count('eth_call')).toBeLessThan(150);
  });

  it('caller that reads a gas burner: gets results for other contracts in the same request', async () => {
    const { node, reader, quarantined } = await start();
    const results = await reader.read<unknown>(chainId, [
      ...Array.from({ length: 400 }, (_, id) => createErc721OwnerRead(burner.address, BigInt(id))),
      ...honest(50),
    ]);
    expect(getCodes(results.slice(400))).toEqual(new Set(['ok']));
    expect(getCodes(results.slice(0, 400))).toEqual(new Set(['out_of_gas', 'unavailable']));
    expect(node.count('eth_call')).toBeLessThan(40);
    expect(quarantined).toEqual([1]);
  });
});

describe('a tenant with many callers whose contracts make batches fail', () => {
  it('T73: tenant with many callers whose contracts make batches fail: does not delay other tenants, who are answered after one split', async () => {
    const bad = Array.from({ length: 60 }, (_, i) => createAddress(0xbad_0000 + i));
    const forward = forwardTo(fixture.chain.rpcUrl);
    const node = await fixture.node(
      onCalls((request, response) => {
        const params = JSON.stringify(request.params);
        if (!bad.some((address) => params.includes(address.slice(2)))) return forward(request, response);
        reply(response, request.id, { error: { code: -32000, message: 'response too large' } });
      }),
    );
    const reader = fixture.reader([node.url], { requestTimeoutMs: 8_000 });
    const attacks = bad.map((address) =>
      reader.read(chainId, [createErc20BalanceRead(address, createAddress(1))], { tenantId: 'attacker' }),
    );
    let callsUntilAnswered = 0;
    const victims = ['one', 'other', undefined].map(async (tenantId, at) => {
      const results = await reader.read(chainId, honest(3, 500 + 10 * at), { tenantId });
      callsUntilAnswered = Math.max(callsUntilAnswered, node.count('eth_call'));
      return results;
    });
    for (const results of await Promise.all(victims)) expect(areAllOk(results)).toBe(true);
    // The batch as a whole, and one part for each tenant.
    expect(callsUntilAnswered).toBeLessThanOrEqual(5);
    for (const results of await Promise.all(attacks)) expect(areAllOk(results)).toBe(false);
  });

  it('T121: tenant with many callers whose contracts make batches fail: does not end the use of a node that answers HTTP 502 to calls of a contract', async () => {
    const forward = forwardTo(fixture.chain.rpcUrl);
    const bad = createAddress(0xbad);
    const node = await fixture.node(
      onCalls((request, response) => {
        if (!JSON.stringify(request.params).includes(bad.slice(2))) return forward(request, response);
        response.writeHead(502).end();
      }),
    );
    const reader = fixture.reader([node.url]);
    // The rounds are more than the failures in a row that end the use of a node.
    for (let round = 0; round < 8; round += 1) {
      const owner = createAddress(1_000 + round);
      const attack = reader.read(chainId, [createErc20BalanceRead(bad, owner)], { tenantId: 'attacker' });
      expect(areAllOk(await reader.read(chainId, honest(3, 10 * round), { tenantId: 'victim' }))).toBe(true);
      expect(await attack).toMatchObject([{ ok: false, permanent: false }]);
    }
  });
});
