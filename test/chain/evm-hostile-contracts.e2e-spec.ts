import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createChainRegistry,
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc721OwnerRead,
  EvmReader,
  type ReadResult,
  type ContractRead,
} from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { forwardTo, HostileNode } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';

const holder: EvmAddress = '0x00000000000000000000000000000000000000a1';
const emptyAddress: EvmAddress = '0x00000000000000000000000000000000000000c3';

let chain: LocalChain;
let node: HostileNode;
let reader: EvmReader;
let erc20: DeployedContract;
let burners: DeployedContract[];

beforeAll(async () => {
  chain = await LocalChain.start();
  node = await HostileNode.start(forwardTo(chain.rpcUrl));
  reader = new EvmReader({
    chains: createChainRegistry({
      custom: [],
      rpcUrls: new Map([[chain.chainId, [node.url]]]),
      publicRpc: false,
    }),
  });
  erc20 = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 18, holder, 77n]);
  burners = [await chain.deploy('GasBurner'), await chain.deploy('GasBurner')];
});

afterAll(async () => {
  await reader.close();
  await node.stop();
  await chain.stop();
});

async function read<T>(...reads: ContractRead<T>[]): Promise<ReadResult<T>[]> {
  return reader.read(chain.chainId, reads);
}

const honest = (count: number): ContractRead<bigint>[] =>
  Array.from({ length: count }, (_, i) =>
    createErc20BalanceRead(erc20.address, `0x${(500 + i).toString(16).padStart(40, '0')}`),
  );
const permanent = (code: string) => ({ ok: false, permanent: true, code });
const toHex = (...words: bigint[]): string =>
  words.map((word) => word.toString(16).padStart(64, '0')).join('');

describe('contracts that revert', () => {
  it.each([
    ['with a reason', 0, 'not today', { ok: true, value: null }],
    [
      'with a reason that looks like an error of the node',
      0,
      'out of gas: response too large',
      { ok: true, value: null },
    ],
    ['without data', 1, '', permanent('reverted')],
    ['by an invalid instruction', 2, '', permanent('reverted')],
  ])(
    '%s: a permanent failure for balances, for ownerOf no owner if there is a reason',
    async (_, form, reason, owner) => {
      const { address } = await chain.deploy('Reverting', [form, reason]);
      const results = await read<unknown>(
        createErc20BalanceRead(address, holder),
        createErc20DecimalsRead(address),
        createErc721OwnerRead(address, 1n),
        createErc20BalanceRead(erc20.address, holder),
      );
      expect(results).toMatchObject([
        permanent('reverted'),
        permanent('reverted'),
        owner,
        { ok: true, value: 77n },
      ]);
    },
  );

  it('contracts that revert: re-reads a revert only if it has no data', async () => {
    const withData = await chain.deploy('Reverting', [0, 'x']);
    const without = await chain.deploy('Reverting', [1, '']);
    let before = node.count('eth_call');
    await read(...[1n, 2n, 3n].map((id) => createErc721OwnerRead(withData.address, id)));
    expect(node.count('eth_call') - before).toBe(1);
    before = node.count('eth_call');
    await read(...[1n, 2n, 3n].map((id) => createErc721OwnerRead(without.address, id)));
    expect(node.count('eth_call') - before).toBe(4);
  });
});

describe('missing contracts and malformed results', () => {
  it('missing contracts and malformed results: fail permanently without code, also for ownerOf', async () => {
    const results = await read<unknown>(
      createErc20BalanceRead(emptyAddress, holder),
      createErc20DecimalsRead(emptyAddress),
      createErc721OwnerRead(emptyAddress, 1n),
    );
    expect(results).toMatchObject([
      permanent('no_contract'),
      permanent('no_contract'),
      permanent('no_contract'),
    ]);
  });

  it.each([
    ['empty data', '', 'no_contract', 'no_contract', 'no_contract'],
    ['31 bytes', '00'.repeat(31), 'malformed_answer', 'malformed_answer', 'malformed_answer'],
    ['33 bytes', '00'.repeat(33), 'malformed_answer', 'malformed_answer', 'malformed_answer'],
    ['a huge number', toHex(2n ** 256n - 1n), 2n ** 256n - 1n, 'malformed_answer', 'malformed_answer'],
    ['256', toHex(256n), 256n, 'malformed_answer', '0x0000000000000000000000000000000000000100'],
    ['an extra word', toHex(5n, 6n), 5n, 5, '0x0000000000000000000000000000000000000005'],
  ])('missing contracts and malformed results: %s', async (_, bytes, ...expected) => {
    const { address } = await chain.deploy('Garbage', [`0x${bytes}`]);
    const results = await read<unknown>(
      createErc20BalanceRead(address, holder),
      createErc20DecimalsRead(address),
      createErc721OwnerRead(address, 1n),
    );
    const wanted = expected.map((value) =>
      typeof value === 'string' && !value.startsWith('0x') ? permanent(value) : { ok: true, value },
    );
    expect(results).toMatchObject(wanted);
  });
});

describe('contracts that affect other reads of a batch', () => {
  it('contracts that affect other reads of a batch: confines out of gas to the gas burner, whose ownerOf does not count as a revert', async () => {
    const burning = burners.map(({ address }) => createErc721OwnerRead(address, 1n));
    const before = node.count('eth_call');
    const [results, others] = await Promise.all([
      read(...burning),
      read(...honest(300), createErc20BalanceRead(erc20.address, holder)),
    ]);
    expect(results).toMatchObject([permanent('out_of_gas'), permanent('out_of_gas')]);
    expect(others.slice(0, -1).every((result) => result.ok && result.value === 0n)).toBe(true);
    expect(others.at(-1)).toMatchObject({ ok: true, value: 77n });
    expect(node.count('eth_call') - before).toBeLessThan(40);
  });

  // The burner leaves 1/64 of the gas, the honest reads use most of it, and the liar comes last: for some of these counts
  // the batch itself still succeeds.
  it.each([70, 80, 85, 90])(
    'contracts that affect other reads of a batch: discards a result that a call gives for lack of gas, after %d other reads',
    async (count) => {
      const liar = await chain.deploy('Liar');
      const results = await read<unknown>(
        createErc721OwnerRead(burners[0]?.address ?? emptyAddress, 1n),
        ...honest(count),
        createErc20BalanceRead(liar.address, holder),
      );
      expect(results[0]).toMatchObject(permanent('out_of_gas'));
      expect(results.at(-1)).toMatchObject({ ok: true, value: 1n });
    },
  );

  it.each([
    ['returns', false],
    // The node repeats the reason several times, but reports the revert first.
    ['reverts with', true],
  ])(
    'contracts that affect other reads of a batch: confines the failure to the contract that %s 3 MB',
    async (_, reverts) => {
      const expected = permanent('malformed_answer');
      const flooders = [];
      for (let i = 0; i < 2; i += 1) flooders.push(await chain.deploy('Flooder', [3_000_000n, reverts]));
      const floods = flooders.map(({ address }) => createErc20BalanceRead(address, holder));
      const results = await read(...honest(40), ...floods, createErc20BalanceRead(erc20.address, holder));
      expect(results.slice(0, 40).every((result) => result.ok)).toBe(true);
      expect(results.slice(40)).toMatchObject([expected, expected, { ok: true, value: 77n }]);
    },
  );
});
