import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Address, encodeFunctionData, type Hex, multicall3Abi, pad, toEventSelector, toHex } from 'viem';
import { deploySafe } from '../../scripts/chain/deploy-safe.mjs';
import { root } from '../../scripts/build/project.mjs';
import { multicall3Address } from '../../libs/chain/src/reads/evm/multicall3.js';
import { forwardTo, reply } from '../support/hostile-node.js';
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
  // The look that counts them reads the logs of the newest block once more.
  await until('their logs are read', () => Promise.resolve(world.node.count('eth_getLogs') > 0));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
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

const hashesOf = (id: string) =>
  world.query<{ hash: string }>(
    `SELECT encode(account_hash, 'hex') AS hash FROM token_gating.member_accounts WHERE community_id = $1`,
    id,
  );

const askRoles = (id: string, userId: string) =>
  world.gating.request('GET', `/access-control/${id}/${userId}/roles`, undefined, {}, asUser(userId));

it('transfer watcher: follows a wallet that only a request for roles has read', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const { address } = world.user();
  await world.chain.mint(token, address, 1n);
  const id = await world.community([world.holds(token)], [member.id]);
  await world.untilHolders(id);
  world.book.set(member.id, eoa(address));
  const before = await hashesOf(id);
  expect((await askRoles(id, member.id)).body).toEqual({ roles: [{ id: 'holder', granted: true }] });
  expect(await hashesOf(id)).not.toEqual(before);
  await world.transfer(token, address, world.user().address, 1n);
  await world.untilHolders(id);
});

it('transfer watcher: keeps the accounts of the evaluation that began last, where an earlier one ends later without a result', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const { address } = world.user();
  await world.chain.mint(token, address, 1n);
  const id = await world.community([world.holds(token)], [member.id]);
  let fail: (() => void)[] | undefined = [];
  world.override = ({ method, params, id: request }, response) => {
    if (method !== 'eth_call' || !JSON.stringify(params).includes(member.address.slice(2).toLowerCase()))
      return false;
    const answer = () => {
      reply(response, request, { error: { code: -32_000, message: 'the node is overloaded' } });
    };
    if (fail) fail.push(answer);
    else answer();
    return true;
  };
  await world.chain.mint(token, member.address, 2n);
  await until('a check of the first wallet is held', () => Promise.resolve((fail ?? []).length > 0));
  world.book.set(member.id, eoa(address));
  const before = await hashesOf(id);
  expect((await askRoles(id, member.id)).body).toEqual({ roles: [{ id: 'holder', granted: true }] });
  const known = await hashesOf(id);
  expect(known).not.toEqual(before);
  const held = fail;
  fail = undefined;
  for (const answer of held) answer();
  const announced = 'SELECT FROM token_gating.announced_evaluations WHERE community_id = $1';
  await until('the check has ended', async () => (await world.query(announced, id)).length === 0);
  world.override = undefined;
  expect(await hashesOf(id)).toEqual(known);
});

it('transfer watcher: does not enqueue a member again whose check waits, and checks them for later logs when it has ended', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const id = await world.community([world.holds(token, { minToken: '3' })], [member.id]);
  const held: (() => void)[] = [];
  let isHeld = true;
  const forward = forwardTo(world.chain.rpcUrl);
  world.override = (request, response) => {
    const reads = JSON.stringify(request.params).includes(member.address.slice(2).toLowerCase());
    if (!isHeld || request.method !== 'eth_call' || !reads) return false;
    held.push(() => void forward(request, response));
    return true;
  };
  const jobsOf = async () =>
    (
      await world.query<{ job: string }>(
        `SELECT coalesce(job_id::text, 'none') AS job FROM token_gating.transfer_checks WHERE community_id = $1`,
        id,
      )
    ).map(({ job }) => job);
  await world.chain.mint(token, member.address, 1n);
  await until('the check is held', () => Promise.resolve(held.length > 0));
  const jobs = await jobsOf();
  const isPending = `SELECT FROM token_gating.transfer_checks WHERE community_id = $1 AND is_pending AND due_at < now()`;
  await world.chain.mint(token, member.address, 2n);
  await until('the next check is due', async () => (await world.query(isPending, id)).length > 0);
  await world.chain.mint(token, member.address, 3n);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await jobsOf()).toEqual(jobs);
  expect(jobs).not.toContain('none');
  isHeld = false;
  for (const answer of held) answer();
  await world.untilHolders(id, member.id);
  world.override = undefined;
});

it('transfer watcher: keeps the contracts of rules that it cannot parse, and finds those of others', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const id = await world.community([world.holds(token)], [member.id]);
  const contractsOf = async (community: string) =>
    (
      await world.query<{ address: string }>(
        'SELECT address FROM token_gating.community_contracts WHERE community_id = $1',
        community,
      )
    ).map(({ address }) => address);
  await world.communities.changeRules(id, [{ roleId: 'holder', type: 'OF_A_LATER_RELEASE' }]);
  for (let times = 0; times < 2; times += 1) await world.community([world.holds(token)], [world.user().id]);
  expect(await contractsOf(id)).toEqual([token.address.toLowerCase()]);
  const next = await world.deployToken();
  await world.communities.changeRules(id, [world.holds(next)]);
  await until('the contract of the new rules is known', async () =>
    (await contractsOf(id)).includes(next.address.toLowerCase()),
  );
  expect(await contractsOf(id)).toEqual([next.address.toLowerCase()]);
});

it('transfer watcher: deletes what is noted about the members of a deleted community', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const id = await world.community([world.holds(token)], [member.id]);
  await world.query(
    `INSERT INTO token_gating.transfer_checks (chain_id, community_id, user_id, tenant_id, is_pending, due_at)
     VALUES ($1, $2, $3, 'user_owner', false, now() + interval '1 hour')`,
    world.chain.chainId,
    ...[id, member.id],
  );
  const as = asUser('user_owner', 'community:write');
  expect((await world.gating.request('DELETE', `/communities/${id}`, undefined, {}, as)).status).toBe(200);
  const noted = 'SELECT FROM token_gating.transfer_checks WHERE community_id = $1';
  await until('nothing is noted', async () => (await world.query(noted, id)).length === 0);
});

it('transfer watcher: has all members checked once when nobody has followed the chain for minutes', async () => {
  const token = await world.deployToken();
  const member = world.user();
  const id = await world.community([world.holds(token)], [member.id]);
  const { address } = world.user();
  // As an instance does whose watcher is off: it stores no accounts.
  world.book.set(member.id, eoa(address));
  await world.query(
    `UPDATE token_gating.transfer_watchers SET leased_until = now() - interval '10 minutes' WHERE chain_id = $1`,
    world.chain.chainId,
  );
  const before = await hashesOf(id);
  await until('the accounts are known', async () => {
    const [known] = await hashesOf(id);
    return known?.hash !== before[0]?.hash;
  });
  await world.settle(id);
  await world.chain.mint(token, address, 1n);
  await world.untilHolders(id, member.id);
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
