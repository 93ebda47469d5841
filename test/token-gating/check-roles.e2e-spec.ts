import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LocalChain } from '../support/local-chain.js';
import { GatingApp } from './gating-app.js';

const holder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const outsider = '0x00000000000000000000000000000000000000c3';
const longId = 71n * 10n ** 75n + 771_769n;

let chain: LocalChain;
let gating: GatingApp;

beforeAll(async () => {
  chain = await LocalChain.start();
  gating = await GatingApp.start({ [`RPC_URL_${chain.chainId}`]: chain.rpcUrl });
});

afterAll(async () => {
  await gating.stop();
  await chain.stop();
});

const onChain = (fields: object) => ({ chainId: chain.chainId, ...fields });
const verdicts = (...rules: object[]) => gating.granted(holder, ...rules.map(onChain));

describe('ERC20', () => {
  it.each([
    { decimals: 0, held: 5n, atLeast: '5', above: '6', finer: ['4.5', '5.5'] },
    { decimals: 6, held: 1_500_000n, atLeast: '1.5', above: '1.500001', finer: ['1.4999999', '1.5000001'] },
    {
      decimals: 18,
      held: 10n ** 18n,
      atLeast: '1',
      above: '1.000000000000000001',
      finer: ['0.9', '1.0000000000000000001'],
    },
  ])(
    'ERC20: compares whole tokens of $decimals decimals, exact to the base unit',
    async ({ decimals, held, atLeast, above, finer }) => {
      const { address } = await chain.deploy('DemoERC20', ['Demo', 'DEMO', decimals, holder, held]);
      const rule = { type: 'ERC20', contractAddress: address };
      const [below = '', beyond = ''] = finer;
      expect(
        await verdicts(
          { ...rule, minToken: atLeast },
          { ...rule, minToken: above },
          { ...rule, minToken: '0', maxToken: atLeast },
          { ...rule, minToken: below },
          { ...rule, minToken: beyond },
          { ...rule, minToken: '0', maxToken: below },
          { ...rule, minToken: '0', maxToken: beyond },
        ),
      ).toEqual([true, false, true, true, false, false, true]);
    },
  );

  it('ERC20: has a default threshold of one whole token', async () => {
    const { address } = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 6, holder, 999_999n]);
    expect(await verdicts({ type: 'ERC20', contractAddress: address })).toEqual([false]);
    const coin = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 6, holder, 1_000_000n]);
    expect(await verdicts({ type: 'ERC20', contractAddress: coin.address })).toEqual([true]);
  });
});

describe('NATIVE', () => {
  it('NATIVE: compares the native balance to the wei', async () => {
    await chain.setNativeBalance(holder, 2n * 10n ** 18n - 1n);
    const rule = { type: 'NATIVE' };
    expect(
      await verdicts(
        { ...rule, minToken: '1.999999999999999999' },
        { ...rule, minToken: '2' },
        { ...rule, maxToken: '2' },
        { ...rule, asset: `eip155:${chain.chainId}/slip44:60` },
      ),
    ).toEqual([true, false, true, true]);
  });
});

describe('ERC721', () => {
  it('ERC721: counts tokens of the collection or of the named ids', async () => {
    const collection = await chain.deploy('DemoERC721', ['Demo', 'DEMO']);
    for (const id of [1n, 42n, 69n, longId]) await chain.mint(collection, holder, id);
    await chain.mint(collection, outsider, 70n);
    const rule = { type: 'ERC721', contractAddress: collection.address };
    expect(
      await verdicts(
        { ...rule, minToken: '4', maxToken: '4' },
        { ...rule, minToken: '5' },
        { ...rule, maxToken: '3' },
        { ...rule, tokenId: '1,2,42-69', minToken: '3', maxToken: '3' },
        { ...rule, tokenId: '1,1,001,42-50,45-68', minToken: '3' },
        { ...rule, tokenId: '70-1000' },
        { ...rule, tokenId: String(longId) },
        { ...rule, tokenId: `${longId - 3n}-${longId - 1n}` },
        { asset: `eip155:${chain.chainId}/erc721:${collection.address}/${longId}` },
      ),
    ).toEqual([true, false, false, true, false, false, true, false, true]);
  });

  it('ERC721: reads ten thousand ids', async () => {
    const collection = await chain.deploy('DemoERC721', ['Demo', 'DEMO']);
    await chain.mint(collection, holder, 9_999n);
    const rule = { type: 'ERC721', contractAddress: collection.address };
    expect(await verdicts({ ...rule, tokenId: '0-9999' }, { ...rule, tokenId: '0-9998' })).toEqual([
      true,
      false,
    ]);
  });
});

describe('ERC1155', () => {
  it('ERC1155: sums the named ids', async () => {
    const collection = await chain.deploy('DemoERC1155');
    await chain.mint(collection, holder, 7n, 3n);
    await chain.mint(collection, holder, longId, 4n);
    const rule = { type: 'ERC1155', contractAddress: collection.address };
    expect(
      await verdicts(
        { ...rule, tokenId: `7,${longId}`, minToken: '7', maxToken: '7' },
        { ...rule, tokenId: `7,${longId}`, minToken: '8' },
        { ...rule, tokenId: `7,7,07`, minToken: '4' },
        { ...rule, tokenId: `0-6` },
      ),
    ).toEqual([true, false, false, false]);
  });
});

describe('roles', () => {
  it('roles: are the OR of their rules, one entry each, in the order of first occurrence', async () => {
    const rich = onChain({ type: 'NATIVE', minToken: '0' });
    const poor = onChain({ type: 'NATIVE', minToken: '1000000000' });
    const rules = [
      { ...poor, roleId: 'b' },
      { ...poor, roleId: 'a' },
      { ...rich, roleId: 'b' },
      { ...poor, roleId: 'b' },
      rich,
    ];
    const { status, body } = await gating.check({ account: holder, rules });
    expect(status).toBe(200);
    expect(body).toEqual({
      roles: [
        { id: 'b', granted: true },
        { id: 'a', granted: false },
        { id: '001', granted: true },
      ],
    });
  });
});

describe('accounts', () => {
  const rule = { type: 'NATIVE', minToken: '0' };

  it.each([holder, holder.toLowerCase(), `0x${holder.slice(2).toUpperCase()}`, `eip155:1:${holder}`])(
    'accounts: %s is read on every EVM chain',
    async (account) => {
      expect(await gating.granted(account, onChain(rule))).toEqual([true]);
    },
  );

  it('accounts of other chain families: are granted nothing by EVM rules', async () => {
    const { status, body } = await gating.check({
      account: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM',
      rules: [onChain(rule)],
    });
    expect([status, body]).toEqual([200, { roles: [{ id: '001', granted: false }] }]);
  });
});
