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
import { forwardTo, type HostileNode, onCalls } from '../support/hostile-node.js';
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

const addressOf = (index: number): EvmAddress => `0x${index.toString(16).padStart(40, '0')}`;
const honest = (count: number, from = 500): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) => createErc20BalanceRead(fixture.erc20.address, addressOf(from + i)));
const isSound = (outcomes: readonly ReadResult<unknown>[]): boolean => outcomes.every(({ ok }) => ok);
const codes = (outcomes: readonly ReadResult<unknown>[]): Set<string> =>
  new Set(outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code)));

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
  it('holds up no single read of somebody else: it goes with the next chunk', async () => {
    const { node, reader } = await start({ maxInFlight: 1 });
    const large = reader.read(chainId, honest(6_000, 10_000));
    while (node.count('eth_call') < 2) await new Promise((resolve) => setImmediate(resolve));
    const before = node.count('eth_call');
    expect(isSound(await reader.read(chainId, honest(1)))).toBe(true);
    expect(node.count('eth_call') - before).toBeLessThanOrEqual(2);
    expect(isSound(await large)).toBe(true);
    expect(node.count('eth_call')).toBeLessThanOrEqual(13);
  });
});

describe('beside somebody who asks for a gas burner', () => {
  const setCodeOf = async (contract: DeployedContract, ...addresses: EvmAddress[]): Promise<void> => {
    const bytecode = (await fixture.chain.client.getCode(contract)) ?? '0x';
    for (const address of addresses) await fixture.chain.client.setCode({ address, bytecode });
  };
  const tokens = Array.from({ length: 10 }, (_, i) => addressOf(0xf00d00 + i));
  /** Each asks for a few balances of a token of its own. */
  const strangers = (reader: EvmReader): Promise<ReadResult<bigint>[]>[] =>
    tokens.map((token) =>
      reader.read(
        chainId,
        Array.from({ length: 5 }, (_, i) => createErc20BalanceRead(token, addressOf(i + 1))),
      ),
    );

  it.each([
    ['hundreds of ids of one', () => Array.from({ length: 450 }, () => burner.address)],
    ['hundreds of different ones', () => Array.from({ length: 300 }, (_, i) => addressOf(0xbad000 + i))],
  ])('strangers are answered, and it costs few calls: %s', async (_, contractsOf) => {
    const { node, reader } = await start();
    const contracts = contractsOf();
    await setCodeOf(burner, ...new Set(contracts));
    await setCodeOf(fixture.erc20, ...tokens);
    let answered = 0;
    const attack = reader.read(
      chainId,
      contracts.map((address, id) => createErc721OwnerRead(address, BigInt(id))),
    );
    const others = strangers(reader).map(async (reads) => {
      const outcomes = await reads;
      answered = Math.max(answered, node.count('eth_call'));
      return outcomes;
    });
    for (const outcomes of await Promise.all(others)) expect(isSound(outcomes)).toBe(true);
    // They are rid of the offender before it is looked into.
    expect(answered).toBeLessThan(30);
    const outcomes = await attack;
    expect([...codes(outcomes)].sort()).toEqual(['out_of_gas', 'unavailable']);
    expect(node.count('eth_call')).toBeLessThan(150);
  });

  it('a sound contract in the same request is answered, too', async () => {
    const { node, reader, quarantined } = await start();
    const outcomes = await reader.read<unknown>(chainId, [
      ...Array.from({ length: 400 }, (_, id) => createErc721OwnerRead(burner.address, BigInt(id))),
      ...honest(50),
    ]);
    expect(codes(outcomes.slice(400))).toEqual(new Set(['ok']));
    expect(codes(outcomes.slice(0, 400))).toEqual(new Set(['out_of_gas', 'unavailable']));
    expect(node.count('eth_call')).toBeLessThan(40);
    expect(quarantined).toEqual([1]);
  });
});
