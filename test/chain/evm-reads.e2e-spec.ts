import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BatchReport,
  createChainRegistry,
  createErc1155BalanceRead,
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc721BalanceRead,
  createErc721OwnerRead,
  EvmReader,
  createNativeBalanceRead,
} from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { forwardTo, HostileNode } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';

const holder: EvmAddress = '0x00000000000000000000000000000000000000a1';
const outsider: EvmAddress = '0x00000000000000000000000000000000000000b2';
const hugeId = 2n ** 256n - 1n;

let chain: LocalChain;
let node: HostileNode;
let reader: EvmReader;
let batches: BatchReport[];
let erc20: DeployedContract;
let erc721: DeployedContract;
let erc1155: DeployedContract;

beforeAll(async () => {
  chain = await LocalChain.start();
  node = await HostileNode.start(forwardTo(chain.rpcUrl));
  batches = [];
  reader = new EvmReader({
    chains: createChainRegistry({
      custom: [],
      rpcUrls: new Map([[chain.chainId, [node.url]]]),
      publicRpc: false,
    }),
    onBatch: (batch) => batches.push(batch),
  });
  erc20 = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 6, holder, 12_345_678n]);
  erc721 = await chain.deploy('DemoERC721', ['Demo', 'DEMO']);
  erc1155 = await chain.deploy('DemoERC1155');
  await chain.mint(erc721, holder, hugeId);
  await chain.mint(erc721, holder, 7n);
  await chain.mint(erc1155, holder, hugeId, 3n);
  await chain.setNativeBalance(holder, 5n * 10n ** 18n);
});

afterAll(async () => {
  await reader.close();
  await node.stop();
  await chain.stop();
});

async function readOne<T>(read: Parameters<typeof reader.read<T>>[1][number]) {
  const [result] = await reader.read(chain.chainId, [read]);
  return result;
}

describe('reads of a chain', () => {
  it('reads of a chain: reads each kind', async () => {
    const blockNumber = await chain.client.getBlockNumber({ cacheTime: 0 });
    const allResults = await Promise.all([
      readOne(createNativeBalanceRead(holder)),
      readOne(createErc20BalanceRead(erc20.address, holder)),
      readOne(createErc20DecimalsRead(erc20.address)),
      readOne(createErc721BalanceRead(erc721.address, holder)),
      readOne(createErc721OwnerRead(erc721.address, hugeId)),
      readOne(createErc721OwnerRead(erc721.address, 8n)),
      readOne(createErc1155BalanceRead(erc1155.address, holder, hugeId)),
      readOne(createErc1155BalanceRead(erc1155.address, outsider, hugeId)),
    ]);
    const values = [5n * 10n ** 18n, 12_345_678n, 6, 2n, holder, null, 3n, 0n];
    expect(allResults).toEqual(values.map((value) => ({ ok: true, value, blockNumber })));
  });

  it('reads of a chain: batches concurrent reads into one call, and sends equal reads once', async () => {
    const before = node.count('eth_call');
    batches.length = 0;
    const accounts = Array.from(
      { length: 64 },
      (_, i): EvmAddress => `0x${(1000 + (i % 32)).toString(16).padStart(40, '0')}`,
    );
    const results = await Promise.all(
      accounts.map((account) => readOne(createErc20BalanceRead(erc20.address, account))),
    );
    expect(results.every((result) => result?.ok === true && result.value === 0n)).toBe(true);
    expect(node.count('eth_call') - before).toBe(1);
    expect(batches).toMatchObject([{ chainId: chain.chainId, reads: 32, unanswered: 0 }]);
  });

  it('reads of a chain: splits more than 500 reads into batches', async () => {
    const before = node.count('eth_call');
    const reads = Array.from({ length: 1_001 }, (_, i) =>
      createErc1155BalanceRead(erc1155.address, holder, BigInt(i)),
    );
    const results = await reader.read(chain.chainId, [
      ...reads,
      createErc1155BalanceRead(erc1155.address, holder, hugeId),
    ]);
    expect(results.slice(0, -1).every((result) => result.ok && result.value === 0n)).toBe(true);
    expect(results.at(-1)).toMatchObject({ ok: true, value: 3n });
    expect(node.count('eth_call') - before).toBe(3);
  });

  it('reads of a chain: sees blocks mined before the read', async () => {
    const before = await readOne(createErc20BalanceRead(erc20.address, outsider));
    await chain.mint(erc20, outsider, 9n);
    const after = await readOne(createErc20BalanceRead(erc20.address, outsider));
    expect([before, after]).toMatchObject([{ value: 0n }, { value: 9n }]);
  });

  it('reads of a chain: uses a deployed Multicall3, and injects it where the configured address has no code', async () => {
    for (const install of [false, true]) {
      if (install) await chain.installMulticall3();
      const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
      const customReader = new EvmReader({
        chains: createChainRegistry({
          custom: [{ id: chain.chainId, multicall3 }],
          rpcUrls: new Map([[chain.chainId, [node.url]]]),
          publicRpc: false,
        }),
      });
      const before = node.count('eth_call');
      const results = await customReader.read(chain.chainId, [createNativeBalanceRead(holder)]);
      expect(results).toMatchObject([{ ok: true, value: 5n * 10n ** 18n }]);
      expect(node.count('eth_call') - before).toBe(install ? 1 : 2);
      await customReader.close();
    }
  });
});

describe('chains that cannot be read', () => {
  it('chains that cannot be read: are unavailable without an RPC URL, with a message', async () => {
    expect(await reader.read(137, [createNativeBalanceRead(holder)])).toEqual([
      { ok: false, permanent: false, code: 'unavailable', message: 'no RPC URL is configured for Polygon' },
    ]);
  });

  it('chains that cannot be read: fail permanently if they are unknown', async () => {
    expect(await reader.read(999_999_999_999, [createNativeBalanceRead(holder)])).toMatchObject([
      { ok: false, permanent: true, code: 'unknown_chain' },
    ]);
  });
});
