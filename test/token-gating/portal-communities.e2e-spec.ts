import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { digestJson } from '@app/common';
import { MAX_TRIED_ADDRESSES } from '@app/dto';
import { randomUUID } from 'node:crypto';
import { forwardTo } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { askForPortal, refusalOf, UsageBook } from './portal-world.js';
import { asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const HOUR_MS = 3_600_000;
const NFT = '0x00000000000000000000000000000000000000aa';

let world: RolesWorld;
let usage: UsageBook;

beforeAll(async () => {
  usage = await UsageBook.start();
  world = await RolesWorld.start({
    PORTAL_COMMUNITIES: 'on',
    GATEWAY_URL: usage.url,
    SWEEP_INTERVAL_MS: '100',
    BALANCE_CHECK_INTERVALS_MS: JSON.stringify({ free: HOUR_MS, paid: HOUR_MS, enterprise: HOUR_MS }),
  });
  world.book.unapproved.add('client_waiting');
}, 120_000);

afterAll(async () => {
  await world.stop();
  await usage.stop();
});

beforeEach(() => {
  usage.outcome = { outcome: 'counted' };
});

const newUserId = (): string => `user_${randomUUID()}`;

/** The user of a client application; in the portal there is none. */
const asUserOf = (id: string, clientId: string): Principal => ({
  kind: 'caller',
  client: { id: clientId, ownerId: 'owner_1', plan: 'free' },
  user: { id },
  scopes: ['community:write', 'community:read'],
});

const inPortal = (id: string): Principal => asUser(id, 'community:write');

const request = (as: Principal, method: string, path: string, body?: object) =>
  world.gating.request(method, path, body && JSON.stringify(body), {}, as);

const create = (as: Principal) => request(as, 'POST', '/communities', { name: 'Apes', visibility: 'public' });

const idOf = ({ body }: { body: unknown }): string => (body as { id: string }).id;

/** A community of a new user in the portal, with the role `r`. */
async function newCommunity(): Promise<{ owner: string; communityId: string }> {
  const owner = newUserId();
  const created = await create(inPortal(owner));
  expect(created.status).toBe(201);
  const communityId = idOf(created);
  await request(inPortal(owner), 'POST', `/communities/${communityId}/roles`, { id: 'r', name: 'Reader' });
  return { owner, communityId };
}

const putRules = (as: Principal, communityId: string, rules: object[]) =>
  request(as, 'PUT', `/communities/${communityId}/rules`, { rules });

const nft = (fields: object = {}) => ({
  type: 'ERC721',
  chainId: world.chainId,
  contractAddress: NFT,
  ...fields,
});

const rowOf = async (communityId: string) => {
  const [row] = await world.communities.query<{ flag: boolean; hours: number; contracts: number }>(
    `SELECT without_application AS flag,
       (extract(epoch FROM next_check_at - now()) / 3600)::float8 AS hours,
       (SELECT count(*)::int FROM token_gating.community_contracts k WHERE k.community_id = c.id) AS contracts
     FROM token_gating.communities c WHERE id = $1`,
    [communityId],
  );
  if (!row) throw new Error('no community');
  return row;
};

/** A community with a rule whose first balance check is over, and a user with what the rule asks for. */
async function newCheckedCommunity(as: (owner: string) => Principal) {
  const owner = newUserId();
  const communityId = idOf(await create(as(owner)));
  await request(as(owner), 'POST', `/communities/${communityId}/roles`, { id: 'r', name: 'Reader' });
  expect((await putRules(as(owner), communityId, [{ roleId: 'r', ...world.holds('1') }])).status).toBe(200);
  await until('the next check is far', async () => (await rowOf(communityId)).hours > 0.5, 20_000);
  const member = newUserId();
  const wallet = await world.wallet(10n ** 18n);
  world.book.set(member, eoa(wallet));
  return { communityId, member, wallet: wallet.toLowerCase() };
}

/** How many of these communities have a member with the role. */
const rolesOf = async (communities: readonly { communityId: string }[]): Promise<number> => {
  const rows = await world.communities.query(
    'SELECT FROM token_gating.role_assignments WHERE community_id = ANY($1)',
    [communities.map(({ communityId }) => communityId)],
  );
  return rows.length;
};

describe('communities without an application', () => {
  it('createCommunity: gives a user three communities in the portal, and any more through an approved application', async () => {
    const owner = newUserId();
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await create(inPortal(owner)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 409]);
    const [, , , refused] = answers;
    if (refused) expect(refusalOf(refused)).toEqual([409, 'portal_community_limit_exceeded']);
    expect(refusalOf(await create(asUserOf(owner, 'client_waiting')))[1]).toBe(
      'portal_community_limit_exceeded',
    );
    const approved = await create(asUserOf(owner, 'client_approved'));
    expect(approved.status).toBe(201);
    expect((await rowOf(idOf(approved))).flag).toBe(false);
  });

  it('T351: createCommunity: ten requests at once give a user three communities in the portal', async () => {
    const owner = newUserId();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(inPortal(owner))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  });

  it('replaceRules: takes ten rules of trees in the portal, follows no transfers, and checks once a day', async () => {
    const { owner, communityId } = await newCommunity();
    const rules = [
      { roleId: 'r', allOf: Array.from({ length: 5 }, () => nft()) },
      { roleId: 'r', anyOf: Array.from({ length: 4 }, () => world.holds('1')) },
      { roleId: 'r', type: 'NATIVE', chainId: world.chainId },
    ];
    expect((await putRules(inPortal(owner), communityId, rules)).status).toBe(200);
    await until('the next check is a day away', async () => (await rowOf(communityId)).hours > 2, 20_000);
    const { hours, ...row } = await rowOf(communityId);
    expect(row).toEqual({ flag: true, contracts: 0 });
    expect(hours).toBeGreaterThan(21);
  });

  it.each([
    ['eleven rules', () => Array.from({ length: 11 }, () => ({ roleId: 'r', ...nft() })), 'rules'],
    ['another type of rule', () => [{ roleId: 'r', ...nft(), type: 'gnosis' }], 'rules.0.type'],
    [
      'another type of rule within a tree',
      () => [{ roleId: 'r', allOf: [world.holds('1'), nft({ type: 'gnosis' })] }],
      'rules.0.allOf.1.type',
    ],
    [
      'a list by URL',
      () => [{ roleId: 'r', not: nft({ tokenId: 'https://lists.example.com/ids.txt' }) }],
      'rules.0.not.tokenId',
    ],
    [
      'metadata',
      () => [{ roleId: 'r', ...nft({ requiresMetadata: true, query: '$.name = "Ape"' }) }],
      'rules.0.requiresMetadata',
    ],
    ['delegations', () => [{ roleId: 'r', ...nft({ delegations: 'delegate.xyz' }) }], 'rules.0.delegations'],
  ])('replaceRules: refuses %s in the portal, and names the rule', async (_, toRules, path) => {
    const { owner, communityId } = await newCommunity();
    const answer = await putRules(inPortal(owner), communityId, toRules());
    expect(refusalOf(answer)).toEqual([400, 'portal_rule_limit_exceeded', path]);
    expect((await putRules(asUserOf(owner, 'client_waiting'), communityId, toRules())).status).toBe(400);
  });

  it('replaceRules: an approved application of the request stands for the rules, and transfers are followed', async () => {
    const { owner, communityId } = await newCommunity();
    const rules = [{ roleId: 'r', ...nft() }];
    expect((await putRules(inPortal(owner), communityId, rules)).status).toBe(200);
    expect(await rowOf(communityId)).toMatchObject({ flag: true, contracts: 0 });
    expect((await putRules(asUserOf(owner, 'client_approved'), communityId, rules)).status).toBe(200);
    expect((await rowOf(communityId)).flag).toBe(false);
    await until('transfers are followed', async () => (await rowOf(communityId)).contracts === 1, 20_000);
    // Unchanged rules of the portal change nothing, and changed ones are within the limits again.
    await putRules(inPortal(owner), communityId, rules);
    expect((await rowOf(communityId)).flag).toBe(false);
    await putRules(inPortal(owner), communityId, [...rules, ...rules]);
    expect(await rowOf(communityId)).toMatchObject({ flag: true, contracts: 0 });
  });

  it('attachClient: an approved application of the own tenant ends the limits in the portal, another tenant gets 404', async () => {
    const { owner, communityId } = await newCommunity();
    await putRules(inPortal(owner), communityId, [{ roleId: 'r', ...nft() }]);
    const attach = (clientId: string) =>
      request(inPortal(owner), 'PUT', `/communities/${communityId}/client-applications/${clientId}`, {});
    expect((await attach('client_foreign')).status).toBe(404);
    world.book.owners.set('client_waiting', owner).set('client_mine', owner);
    expect((await attach('client_waiting')).status).toBe(200);
    expect((await rowOf(communityId)).flag).toBe(true);
    expect((await attach('client_mine')).status).toBe(200);
    await until('transfers are followed', async () => (await rowOf(communityId)).contracts === 1, 20_000);
    expect((await rowOf(communityId)).flag).toBe(false);
  });

  it('balance checks: an application that was approved after it was attached ends the limits when the next check is due', async () => {
    const { owner, communityId } = await newCommunity();
    await putRules(inPortal(owner), communityId, [{ roleId: 'r', ...nft() }]);
    await world.communities.query(
      'INSERT INTO token_gating.community_clients (community_id, client_id) VALUES ($1, $2)',
      [communityId, 'client_approved_later'],
    );
    await world.communities.query('UPDATE token_gating.communities SET next_check_at = now() WHERE id = $1', [
      communityId,
    ]);
    await until('the limits have ended', async () => !(await rowOf(communityId)).flag, 20_000);
    expect((await rowOf(communityId)).hours).toBeLessThan(2);
  });

  it('joinCommunity: admits a hundred members in the portal, and takes no rules for more', async () => {
    const { owner, communityId } = await newCommunity();
    await world.communities.query(
      `WITH joined AS (
         INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
         SELECT $1, 'user_' || n, 'chat', 'chat-of-' || n FROM generate_series(1, 99) n)
       UPDATE token_gating.communities SET member_count = 99 WHERE id = $1`,
      [communityId],
    );
    const join = (userId: string) =>
      request(inPortal(userId), 'POST', `/communities/${communityId}/members`, {});
    expect((await join(newUserId())).status).toBe(200);
    const refused = await join(newUserId());
    expect(refusalOf(refused)).toEqual([409, 'member_limit_exceeded']);
    expect(JSON.stringify(refused.body)).toContain('100 members');
    expect((await putRules(inPortal(owner), communityId, [{ roleId: 'r', ...nft() }])).status).toBe(200);
    await world.communities.query('UPDATE token_gating.communities SET member_count = 101 WHERE id = $1', [
      communityId,
    ]);
    const rules = [{ roleId: 'r', ...nft(), minToken: '2' }];
    expect(refusalOf(await putRules(inPortal(owner), communityId, rules))[1]).toBe('member_limit_exceeded');
  });

  it('role callbacks: no application is called back for a community without an approved one', async () => {
    const { owner, communityId } = await newCommunity();
    await world.communities.query(
      `INSERT INTO token_gating.community_clients (community_id, client_id, tenant_id, callback_url)
       VALUES ($1, 'client_waiting', 'owner_1', 'https://receiver.example.com/')`,
      [communityId],
    );
    await putRules(inPortal(owner), communityId, [{ roleId: 'r', ...world.holds('1') }]);
    const member = newUserId();
    world.book.set(member, eoa(await world.wallet(10n ** 18n)));
    await world.join(communityId, member);
    await until(
      'the member has the role',
      async () => (await world.communities.assignments(communityId)).length === 1,
      20_000,
    );
    const deliveries = await world.communities.query(
      "SELECT FROM token_gating.deliveries WHERE payload->>'communityId' = $1",
      [communityId],
    );
    expect(deliveries).toEqual([]);
  });

  it('T350: member checks: communities without an application ask a chain one after the other, and a victim does not wait for them', async () => {
    // Created in turn, because each mints tokens.
    const limited: Awaited<ReturnType<typeof newCheckedCommunity>>[] = [];
    for (let count = 0; count < 6; count += 1) limited.push(await newCheckedCommunity(inPortal));
    const victim = await newCheckedCommunity((owner) => asUserOf(owner, 'client_approved'));
    const forward = forwardTo(world.gated.chain.rpcUrl);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    /** The wallets of communities without an application for which the node is asked, by call. */
    const asked = new Map<object, string>();
    let mostAtOnce = 0;
    world.gated.onCall = async (request, response) => {
      const calls = JSON.stringify(request).toLowerCase();
      const found = limited.find(({ wallet }) => calls.includes(wallet.slice(2)));
      if (found) {
        asked.set(response, found.wallet);
        response.on('close', () => asked.delete(response));
        mostAtOnce = Math.max(mostAtOnce, new Set(asked.values()).size);
        await answered;
      }
      await forward(request, response);
    };
    try {
      await Promise.all(limited.map(({ communityId, member }) => world.join(communityId, member)));
      await until('the node is asked for the first', () => asked.size > 0);
      await world.join(victim.communityId, victim.member);
      await until('the victim has the role', async () => (await rolesOf([victim])) > 0);
      expect(await rolesOf(limited)).toBe(0);
      answer();
      await until('all have the role', async () => (await rolesOf(limited)) === limited.length, 120_000);
      expect(mostAtOnce).toBe(1);
    } finally {
      answer();
      world.gated.onCall = undefined;
    }
  });

  it('T352: new communities: the portal creates twenty communities a day for an address, and a network of IPv6 is one address', async () => {
    const count = (address: string) =>
      askForPortal(world, 'new-communities', { userId: 'user_any', address });
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) => count(`2001:db8:1:2::${index + 1}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = await count('2001:db8:1:2:ffff::1');
    expect(refusalOf(refused)).toEqual([429, 'new_community_limit_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await count('2001:db8:1:3::1')).status).toBe(200);
    const takeBack = await askForPortal(world, 'new-communities/refused', {
      ...{ userId: 'user_any', address: '2001:db8:1:2:9::1' },
    });
    expect(takeBack.status).toBe(200);
    expect((await count('2001:db8:1:2::1')).status).toBe(200);
    expect((await count('2001:db8:1:2::1')).status).toBe(429);
    await world.communities.query('UPDATE token_gating.portal_creations SET day = day - 1');
    await until(
      'the counts of yesterday are deleted',
      async () => (await world.communities.query('SELECT FROM token_gating.portal_creations')).length === 0,
      20_000,
    );
    expect((await count('2001:db8:1:2::1')).status).toBe(200);
  });

  it('T352: new communities: a client application without approval creates twenty a day for many users, and an approved one any number', async () => {
    const through = (clientId: string, ownerId: string): Principal => ({
      kind: 'caller',
      client: { id: clientId, ownerId, plan: 'free' },
      user: { id: newUserId() },
      scopes: ['community:write'],
    });
    const tenant = newUserId();
    const answers = [];
    for (let count = 0; count < 21; count += 1) answers.push(await create(through('client_waiting', tenant)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const [refused] = answers.slice(-1);
    expect(refused && refusalOf(refused)).toEqual([429, 'new_community_limit_exceeded']);
    expect((await create(through('client_waiting', newUserId()))).status).toBe(201);
    expect((await create(through('client_approved', tenant))).status).toBe(201);
  });

  it('balance checks: five are requested in a day without an application', async () => {
    const { owner, communityId } = await newCommunity();
    await world.communities.query(
      `INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, state, created_at, finished_at, next_run_at)
       SELECT gen_random_uuid(), $1, 'requested', 0, 0, 'done', now() - n * interval '2 hours', now(), now() FROM generate_series(1, 5) AS n`,
      [communityId],
    );
    const check = () => request(inPortal(owner), 'POST', `/communities/${communityId}/balance-checks`);
    const refused = await check();
    expect(refusalOf(refused)).toEqual([429, 'balance_check_limit_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(13 * 3_600);
    await world.communities.query(
      "UPDATE token_gating.balance_checks SET created_at = created_at - interval '15 hours' WHERE community_id = $1",
      [communityId],
    );
    expect((await check()).status).toBe(202);
  });

  it('replaceRules: compares the digest of rules as it compares the rules', async () => {
    const { owner, communityId } = await newCommunity();
    const rules = [{ roleId: 'r', ...nft() }];
    expect((await putRules(inPortal(owner), communityId, rules)).status).toBe(200);
    const replace = (replacesDigest: string) =>
      request(inPortal(owner), 'PUT', `/communities/${communityId}/rules`, { rules: [], replacesDigest });
    expect(refusalOf(await replace(digestJson([])))).toEqual([409, 'rules_conflict']);
    const [rule] = rules;
    const turned = [Object.fromEntries(Object.entries(rule ?? {}).reverse())];
    expect((await replace(digestJson(turned))).status).toBe(200);
  });

  it('invitations: a code that is too long is 404 for browsers', async () => {
    const { communityId } = await newCommunity();
    const path = `/communities/${communityId}/invitations/${'x'.repeat(129)}`;
    const statuses = ['text/html', 'application/json'].map(
      async (accept) => (await world.gating.request('GET', path, undefined, { accept })).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 400]);
  });

  it('members: a page begins at no text that is no time', async () => {
    const { owner, communityId } = await newCommunity();
    const list = async (after: string[]) =>
      (await askForPortal(world, 'members', { userId: owner, communityId, after })).status;
    expect(await list(['2026-11-28 14:00:00.123456+00', owner])).toBe(200);
    for (const time of ['abc', '2026-02-30 14:00:00+00', '\0']) expect(await list([time, owner])).toBe(400);
    expect(await list(['2026-11-28 14:00:00+00', 'a\0'])).toBe(400);
  });

  it('internal portal endpoints: refuse every app but identity', async () => {
    expect((await askForPortal(world, 'catalogue', {}, 'gateway')).status).toBe(403);
  });
});

interface Trial {
  results: {
    address: string;
    roles: { id: string; granted: boolean | null }[];
    explanations: { code: string; held?: string; sentence: string; path?: string }[];
  }[];
}

describe('rules that are tried', () => {
  it('rule trial: says per address whether a role would be granted and why, saves nothing, and counts each address', async () => {
    const { owner, communityId } = await newCommunity();
    const rich = await world.wallet(5n * 10n ** 18n);
    const poor = await world.wallet();
    const before = usage.requests.length;
    const solana = '11111111111111111111111111111111';
    const { status, body } = await askForPortal(world, 'rule-trials', {
      ...{ userId: owner, communityId, addresses: [rich, ` ${poor} `, solana] },
      rules: [{ roleId: 'r', anyOf: [world.holds('2')] }],
    });
    expect(status).toBe(200);
    const { results } = body as Trial;
    expect(results.map(({ address, roles }) => [address, roles])).toEqual([
      [rich, [{ id: 'r', granted: true }]],
      [poor, [{ id: 'r', granted: false }]],
      [solana, [{ id: 'r', granted: false }]],
    ]);
    expect(results.map(({ explanations: [first] }) => [first?.code, first?.held, first?.path])).toEqual([
      ['held_enough', '5', 'anyOf.0'],
      ['below_minimum', '0', 'anyOf.0'],
      ['wrong_chain_family', undefined, 'anyOf.0'],
    ]);
    expect(results[0]?.explanations[0]?.sentence).toBe('The account holds as much as the rule asks for.');
    expect(usage.requests.slice(before)).toEqual([{ userId: owner, count: 3 }]);
    const [row] = await world.communities.query<{ rules: unknown[] }>(
      'SELECT rules FROM token_gating.communities WHERE id = $1',
      [communityId],
    );
    expect(row?.rules).toEqual([]);
  });

  it('rule trial: grants `not` of a rule that does not apply, as the community does', async () => {
    const { owner, communityId } = await newCommunity();
    const solana = '11111111111111111111111111111111';
    const { body } = await askForPortal(world, 'rule-trials', {
      ...{ userId: owner, communityId, addresses: [solana] },
      rules: [{ roleId: 'r', not: world.holds('2') }],
    });
    expect((body as Trial).results[0]?.roles).toEqual([{ id: 'r', granted: true }]);
  });

  it('rule trial: a rule that cannot be read is neither granted nor not granted', async () => {
    const { owner, communityId } = await newCommunity();
    const { body } = await askForPortal(world, 'rule-trials', {
      ...{ userId: owner, communityId, addresses: [await world.wallet()] },
      rules: [{ roleId: 'r', ...nft() }],
    });
    const [result] = (body as Trial).results;
    expect(result?.roles).toEqual([{ id: 'r', granted: null }]);
    expect(result?.explanations[0]?.code).toBe('not_readable');
  });

  it('rule trial: refuses what saving refuses, and addresses that are none, by their paths', async () => {
    const { owner, communityId } = await newCommunity();
    const address = await world.wallet();
    const tryRules = (rules: object[], addresses: string[] = [address], userId = owner) =>
      askForPortal(world, 'rule-trials', { userId, communityId, rules, addresses });
    const rule = { roleId: 'r', ...world.holds('1') };
    const unknownChain = { ...rule, chainId: 999_999 };
    expect(refusalOf(await tryRules([rule, unknownChain]))).toEqual([
      400,
      'chain_not_supported',
      'rules.1.chainId',
    ]);
    expect(refusalOf(await tryRules([{ ...rule, roleId: 'other' }]))[1]).toBe('role_invalid');
    expect(refusalOf(await tryRules([{ roleId: 'r', ...nft({ type: 'gnosis' }) }]))[1]).toBe(
      'portal_rule_limit_exceeded',
    );
    expect(refusalOf(await tryRules([rule], [address, '0x12', 'user_1', '']))).toEqual([
      ...[400, 'input_invalid', 'addresses.1', 'addresses.2', 'addresses.3'],
    ]);
    expect(
      refusalOf(
        await tryRules(
          [rule],
          Array.from({ length: MAX_TRIED_ADDRESSES + 1 }, () => address),
        ),
      )[2],
    ).toBe('addresses');
    expect(refusalOf(await tryRules([rule], [address], newUserId()))).toEqual([
      403,
      'administrator_required',
    ]);
    await world.communities.query(
      "UPDATE token_gating.communities SET suspended_at = now(), suspension_reason = 'x' WHERE id = $1",
      [communityId],
    );
    expect(refusalOf(await tryRules([rule]))[1]).toBe('community_suspended');
  });

  it('rule trial, contract and member check: are refused with Retry-After where the plan is used up', async () => {
    const { owner, communityId } = await newCommunity();
    await world.join(communityId, owner);
    usage.outcome = { outcome: 'month_used_up', limit: 10_000, retryAfter: 77 };
    const rules = [{ roleId: 'r', ...world.holds('1') }];
    const trial = { userId: owner, communityId, rules, addresses: [await world.wallet()] };
    const token = { userId: owner, chainId: world.chainId, contractAddress: world.token.address };
    for (const answer of [
      await askForPortal(world, 'rule-trials', trial),
      await askForPortal(world, 'tokens', token),
      await askForPortal(world, 'member-checks', { userId: owner, communityId, memberId: owner }),
    ]) {
      expect(refusalOf(answer)).toEqual([429, 'month_limit_exceeded']);
      expect(answer.headers.get('retry-after')).toBe('77');
    }
    // Who is no member is refused before anything is counted: a page shows members while the plan is used up.
    for (const userId of [owner, newUserId()]) {
      const stranger = { userId, communityId, memberId: newUserId() };
      const [status, code] = userId === owner ? [404, 'member_not_found'] : [403, 'administrator_required'];
      expect(refusalOf(await askForPortal(world, 'member-checks', stranger))).toEqual([status, code]);
      expect(refusalOf(await askForPortal(world, 'members/find', stranger))).toEqual([status, code]);
    }
    usage.outcome = { outcome: 'counted' };
    const { status, body } = await askForPortal(world, 'tokens', token);
    expect([status, body]).toEqual([200, expect.objectContaining({ symbol: 'DEMO', standards: ['ERC20'] })]);
  });

  it('member check: says why to who runs the community, with amounts to the member alone, and stores the role', async () => {
    const { owner, communityId } = await newCommunity();
    await putRules(inPortal(owner), communityId, [{ roleId: 'r', ...world.holds('1') }]);
    const member = newUserId();
    await world.join(communityId, member);
    await world.communities.query('DELETE FROM token_gating.role_assignments WHERE community_id = $1', [
      communityId,
    ]);
    world.book.set(member, eoa(await world.wallet(3n * 10n ** 18n)));
    const check = (userId: string, memberId = member) =>
      askForPortal(world, 'member-checks', { userId, communityId, memberId });
    const { body } = await check(owner);
    expect(body).toMatchObject({
      roles: [{ id: 'r', granted: true }],
      explanations: [{ code: 'held_enough', granted: true }],
    });
    expect(JSON.stringify(body)).not.toContain('wallets');
    expect(await world.communities.assignments(communityId)).toEqual([`${member} r`]);
    const own = await check(member);
    expect(own.body).toMatchObject({ explanations: [{ held: '3' }] });
    const found = await askForPortal(world, 'members/find', { userId: owner, communityId, memberId: member });
    expect(found.body).toMatchObject({
      userId: member,
      roles: [{ id: 'r', name: 'Reader' }],
      isOwner: false,
    });
    expect((await check(newUserId())).status).toBe(403);
    expect((await check(owner, newUserId())).status).toBe(404);
  });

  it('catalogue: has the chains, the rule types and the limits without an application', async () => {
    const { body } = await askForPortal(world, 'catalogue', {});
    expect(body).toMatchObject({
      chains: [expect.objectContaining({ chainId: world.chainId })],
      withoutApplication: { maxRules: 10, maxMembers: 100, maxCommunities: 3 },
    });
  });
});
