import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Address, encodeFunctionData, type Hex, multicall3Abi, pad, toEventSelector, toHex } from 'viem';
import { deploySafe } from '../../scripts/chain/deploy-safe.mjs';
import { root } from '../../scripts/build/project.mjs';
import { multicall3Address } from '../../libs/chain/src/reads/evm/multicall3.js';
import { reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { asUser } from './roles-world.js';
import { ALWAYS_ONE, PLAIN_EMITTER, TransfersWorld } from './transfers-world.js';
import { eoa } from './wallet-book.js';

let world: TransfersWorld;

beforeAll(async () => {
  world = await TransfersWorld.start();
}, 120_000);

afterAll(() => world.stop());

// The first test, so that these thousand contracts are all that the chain has.
it('transfer watcher: makes two requests a block while a thousand contracts are quiet', async () => {
  const member = world.user();
  const rules = (from: number) =>
    Array.from({ length: 500 }, (_, index) =>
      world.holds({ address: pad(toHex(from + index), { size: 20 }) }),
    );
  for (const from of [0x10000, 0x20000]) {
    await world.community(rules(from), [member.id], 'owner_of_many');
  }
  const state = String.raw`transfer_watcher_contracts\{chain="\d+",state="watched"`;
  await until('all are watched', async () => ((await world.metric(new RegExp(state))) ?? 0) >= 1_000);
  world.node.methods.length = 0;
  for (let block = 0; block < 5; block += 1) {
    await world.chain.client.mine({ blocks: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
  }
  expect(world.node.count('eth_getLogs')).toBeLessThanOrEqual(5);
  expect(world.node.count('eth_blockNumber')).toBeLessThanOrEqual(8);
});

it('transfer watcher: takes the role from who sells, and gives it to who buys, without a balance check', async () => {
  const token = await world.deployToken();
  const [seller, buyer] = [world.user(), world.user()];
  await world.chain.mint(token, seller.address, 1n);
  const id = await world.community([world.holds(token)], [seller.id, buyer.id]);
  await world.untilHolders(id, seller.id);
  const checks = await world.countBalanceChecks(id);
  await world.transfer(token, seller.address, buyer.address, 1n);
  await world.untilHolders(id, buyer.id);
  await world.transfer(token, buyer.address, seller.address, 1n);
  await world.untilHolders(id, seller.id);
  expect(await world.countBalanceChecks(id)).toBe(checks);
});

it('transfer watcher: follows ERC-1155, rules within trees, and limits from above', async () => {
  const token = await world.chain.deploy('DemoERC1155');
  const member = world.user();
  const fields = { type: 'ERC1155', tokenId: '7' };
  const { roleId: _, ...rule } = world.holds(token, { ...fields, maxToken: '1' }) as { roleId: string };
  const id = await world.community([{ roleId: 'holder', anyOf: [{ allOf: [rule] }] }], [member.id]);
  await world.untilHolders(id);
  await world.chain.mint(token, member.address, 7n, 1n);
  await world.untilHolders(id, member.id);
  await world.chain.mint(token, member.address, 7n, 1n);
  await world.untilHolders(id);
});

it('transfer watcher: follows the owners of a Safe', async () => {
  const { client, rpcUrl } = world.chain;
  const [owner, next] = [world.user(), world.user()];
  const from = client.account.address;
  const safe = (await deploySafe({ rpcUrl, root, from, owners: [owner.address] })) as Address;
  const id = await world.community([world.holds({ address: safe }, { type: 'gnosis' })], [owner.id, next.id]);
  await world.untilHolders(id, owner.id);
  const safeAbi = [
    {
      type: 'function',
      name: 'addOwnerWithThreshold',
      stateMutability: 'nonpayable',
      inputs: [{ type: 'address' }, { type: 'uint256' }],
      outputs: [],
    },
  ] as const;
  const args = [next.address, 1n] as const;
  const data = encodeFunctionData({ abi: safeAbi, functionName: 'addOwnerWithThreshold', args });
  await world.sendAs(safe, safe, data);
  await world.untilHolders(id, owner.id, next.id);
});

it('transfer watcher: follows the owners of a Safe before 1.4, whose events do not index them', async () => {
  const { client } = world.chain;
  const owner = world.user();
  const safe: Address = '0x00000000000000000000000000000000005afe01';
  await client.setCode({ address: safe, bytecode: '0x5f5f5260205ff3' });
  const id = await world.community([world.holds({ address: safe }, { type: 'gnosis' })], [owner.id]);
  await world.untilHolders(id);
  await client.setCode({ address: safe, bytecode: PLAIN_EMITTER });
  const data: Hex = `${toEventSelector('AddedOwner(address)')}${pad(owner.address, { size: 32 }).slice(2)}`;
  await world.sendAs('0x00000000000000000000000000000000000f0001', safe, data);
  await client.setCode({ address: safe, bytecode: ALWAYS_ONE });
  await world.untilHolders(id, owner.id);
});

it('T349: transfer watcher: checks all members who got a token in a block with a thousand transfers', async () => {
  const token = await world.deployToken();
  const members = Array.from({ length: 1_000 }, () => world.user());
  const id = await world.community(
    [world.holds(token)],
    members.map((member) => member.id),
  );
  const calls = members.map(({ address }, index) => ({
    target: token.address,
    allowFailure: false,
    callData: encodeFunctionData({ abi: token.abi, functionName: 'mint', args: [address, BigInt(index)] }),
  }));
  const checks = await world.countBalanceChecks(id);
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  await world.sendAs('0x00000000000000000000000000000000000f0002', multicall3Address, data, 500_000_000n);
  await world.untilHolders(id, ...members.map((member) => member.id));
  expect(await world.countBalanceChecks(id)).toBe(checks);
});

it('transfer watcher: knows wallets that are linked, and forgets unlinked wallets, former members and former rules', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const id = await world.community([world.holds(token)], [member.id]);
  const hashes = () => world.query('SELECT FROM token_gating.member_accounts WHERE community_id = $1', id);
  const other = world.user().address;
  world.book.set(member.id, eoa(member.address), eoa(other));
  const recheck = async () => {
    await world.query('UPDATE token_gating.communities SET next_check_at = now() WHERE id = $1', id);
    await world.settle(id);
  };
  await recheck();
  await until('both wallets are known', async () => (await hashes()).length === 2);
  await world.chain.mint(token, other, 1n);
  await world.untilHolders(id, member.id);
  world.book.set(member.id, eoa(member.address));
  await until('one wallet is forgotten', async () => {
    await recheck();
    return (await hashes()).length === 1;
  });
  const path = `/communities/${id}/members/me`;
  const as = asUser(member.id, 'community:write');
  expect((await world.gating.request('DELETE', path, undefined, {}, as)).status).toBe(200);
  expect(await hashes()).toEqual([]);
  expect(await world.query('SELECT FROM token_gating.transfer_checks WHERE community_id = $1', id)).toEqual(
    [],
  );
});

it('transfer watcher: says in a metric that a node serves no logs, and follows again when it does', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const id = await world.community([world.holds(token)], [member.id]);
  world.override = ({ method, id: request }, response) => {
    if (method !== 'eth_getLogs') return false;
    reply(response, request, { error: { code: -32_601, message: 'the method does not exist' } });
    return true;
  };
  const isState = (state: string) => async () =>
    (await world.metric(new RegExp(`transfer_watcher_state\\{chain="\\d+",state="${state}"`))) === 1;
  await world.chain.mint(token, member.address, 1n);
  await until('the metric says so', isState('no_logs'));
  expect(await world.metric(/transfer_watcher_blocks_behind/)).toBeGreaterThan(0);
  world.override = undefined;
  await until('the logs are followed', isState('following'));
  await world.untilHolders(id, member.id);
});
