import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { asClient, asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const lenient = { Prefer: 'handling=lenient' };
let world: RolesWorld;
let users = 0;

beforeAll(async () => {
  world = await RolesWorld.start();
});

afterAll(async () => {
  await world.stop();
});

const newUser = () => `user_${String(++users)}`;
const granted = (...ids: string[]) => ({ roles: ids.map((id) => ({ id, granted: true })) });
const denied = (...ids: string[]) => ({ roles: ids.map((id) => ({ id, granted: false })) });

/** Creates a community with one member, and a wallet for each amount. */
async function oneMember(rules: object[], ...amounts: bigint[]) {
  const userId = newUser();
  const addresses = [];
  for (const amount of amounts) addresses.push(await world.wallet(amount));
  world.book.set(userId, ...addresses.map(eoa));
  const roles = ['whale', 'fish'];
  const id = await world.communities.create({ roles, rules, members: [userId] });
  const ask = (headers = {}) => world.roles(id, userId, asUser(userId), headers);
  return { id, userId, addresses, ask };
}

describe('a check of a member', () => {
  it('check of a member: is published once for each quarter-hour, and not where it failed', async () => {
    const { id, userId, ask } = await oneMember([world.holds('1', { roleId: 'whale' })], WHOLE);
    expect((await world.roles(id, 'user_unknown', asUser(userId))).status).toBe(404);
    await Promise.all([ask(), ask(), ask()]);
    await until('published', async () => (await world.events.checksOf(id)).length > 0);
    const checks = await world.events.checksOf(id);
    // Two, if the requests were on both sides of a quarter-hour.
    expect(new Set(checks.map(({ at }) => at)).size).toBe(checks.length);
    for (const check of checks) {
      expect(check).toMatchObject({ type: 'member.checked', communityId: id, userId });
      expect(check.at).toMatch(/:(00|15|30|45):00\.000Z$/);
    }
  });
});

describe('the balance of a member', () => {
  it('balance of a member: is the sum of all wallets, exact to the smallest unit', async () => {
    const rules = [world.holds('3', { roleId: 'whale' }), world.holds('2', { roleId: 'fish' })];
    const { ask, addresses } = await oneMember(rules, 2n * WHOLE - 1n, WHOLE);
    const fish = { roles: [{ id: 'whale', granted: false }, ...granted('fish').roles] };
    expect(await ask()).toMatchObject({ status: 200, body: fish });
    await world.give(addresses[1] ?? '', 1n);
    expect((await ask()).body).toEqual(granted('whale', 'fish'));
  });

  it('balance of a member: includes a contract wallet only on its own chain', async () => {
    const userId = newUser();
    const address = await world.wallet(WHOLE);
    const rules = [world.holds('1', { roleId: 'whale' })];
    const id = await world.communities.create({ roles: ['whale'], rules, members: [userId] });
    world.book.set(userId, contractOn(world.chainId + 1, address));
    expect((await world.roles(id, userId, asUser(userId))).body).toEqual(denied('whale'));
    world.book.set(userId, contractOn(world.chainId, address), contractOn(world.chainId + 1, address));
    expect((await world.roles(id, userId, asUser(userId))).body).toEqual(granted('whale'));
    world.book.set(
      userId,
      contractOn(world.chainId, address),
      eoa(address.toUpperCase().replace('0X', '0x')),
    );
    const once = await world.communities.create({
      roles: ['whale'],
      rules: [world.holds('0', { maxToken: '1', roleId: 'whale' })],
      members: [userId],
    });
    expect((await world.roles(once, userId, asUser(userId))).body).toEqual(granted('whale'));
  });

  it('balance of a member: is judged by stored rules with a field that is rejected today', async () => {
    const stored = world.holds('3', { roleId: 'whale', tokenId: '7', eventId: '1' });
    const { ask } = await oneMember([stored], 3n * WHOLE);
    expect(await ask()).toMatchObject({ status: 200, body: { roles: [{ id: 'whale', granted: true }, {}] } });
  });

  it('balance of a member: is undetermined by stored rules that the deployment is not configured for any more', async () => {
    const { ask } = await oneMember(
      [
        { type: 'OPEN_SEA', collectionName: 'demo', roleId: 'whale' },
        world.holds('1', { type: 'staking', collectionName: 'gone', roleId: 'fish' }),
      ],
      WHOLE,
    );
    expect(await ask()).toMatchObject({
      status: 200,
      body: {
        errors: [
          { roleId: 'whale', name: 'OpenSeaNotConfiguredError', retryable: false },
          { roleId: 'fish', name: 'RuleNotSupportedError', retryable: false },
        ],
      },
    });
  });

  it('balance of a member: is judged by nested rules; a role that no rule grants is not granted', async () => {
    const rules = [
      { roleId: 'fish', allOf: [world.holds('1'), { not: world.holds('5') }] },
      { roleId: 'fish', anyOf: [world.holds('100'), world.holds('200')] },
    ];
    const { ask, addresses, id, userId } = await oneMember(rules, 2n * WHOLE);
    await world.communities.assign(id, userId, 'whale');
    expect((await ask()).body).toEqual({ roles: [...denied('whale').roles, ...granted('fish').roles] });
    expect(await world.communities.assignments(id)).toEqual([`${userId} fish`]);
    await world.give(addresses[0] ?? '', 3n * WHOLE);
    expect((await ask()).body).toEqual(denied('whale', 'fish'));
  });

  it('balance of a member: is zero without a wallet, and on other chain families', async () => {
    const rules = [world.holds('0', { roleId: 'fish' }), { roleId: 'whale', not: world.holds('1') }];
    const { ask, userId } = await oneMember(rules);
    const nothing = { roles: [...granted('whale').roles, ...denied('fish').roles] };
    expect((await ask()).body).toEqual(nothing);
    world.book.set(userId, {
      type: 'solana',
      chainId: 'mainnet',
      address: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM',
    });
    expect((await ask()).body).toEqual(nothing);
  });
});

describe('the stored roles', () => {
  it('stored roles: change with one event per difference, and a second evaluation publishes nothing', async () => {
    const rules = [
      world.holds('1', { roleId: 'whale' }),
      world.holds('0', { roleId: 'fish', maxToken: '1' }),
    ];
    const { id, userId, addresses, ask } = await oneMember(rules, WHOLE);
    await ask();
    await ask();
    expect(await world.communities.assignments(id)).toEqual([`${userId} fish`, `${userId} whale`]);
    expect((await world.events.roleChangesOf(id)).sort()).toEqual([
      `role.granted ${userId} fish`,
      `role.granted ${userId} whale`,
    ]);
    await world.give(addresses[0] ?? '', 1n);
    expect((await ask()).body).toEqual({ roles: [...granted('whale').roles, ...denied('fish').roles] });
    expect((await world.events.roleChangesOf(id)).at(-1)).toBe(`role.revoked ${userId} fish`);
    expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
  });

  it('stored roles: are written once by ten concurrent requests', async () => {
    const { id, userId, ask } = await oneMember([world.holds('1', { roleId: 'whale' })], WHOLE);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(await world.events.roleChangesOf(id)).toEqual([`role.granted ${userId} whale`]);
  });

  it('stored roles: are not replaced by an evaluation that started earlier', async () => {
    const rules = [world.holds('1', { roleId: 'whale', maxToken: '1' })];
    const { id, addresses, ask } = await oneMember(rules, WHOLE);
    const held = world.holdNextAnswer();
    const first = ask();
    await held.isRead;
    await world.give(addresses[0] ?? '', 1n);
    expect((await ask()).body).toEqual(denied('whale', 'fish'));
    held.release();
    await first;
    expect(await world.communities.assignments(id)).toEqual([]);
    expect(await world.events.of(id)).toEqual([]);
  });

  it('stored roles: are replaced by a determined evaluation also after a later undetermined one', async () => {
    const { id, userId, ask } = await oneMember([world.holds('1', { roleId: 'whale' })], WHOLE);
    const held = world.holdNextAnswer();
    const first = ask();
    await held.isRead;
    const bringBack = world.breakNode();
    expect((await ask()).status).toBe(503);
    bringBack();
    held.release();
    expect((await first).body).toEqual({ roles: [...granted('whale').roles, ...denied('fish').roles] });
    expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
  });

  it('stored roles: are evaluated again when the rules change meanwhile', async () => {
    const { id, ask } = await oneMember([world.holds('1', { roleId: 'whale' })], WHOLE);
    const held = world.holdNextAnswer();
    const first = ask();
    await held.isRead;
    await world.communities.changeRules(id, [world.holds('2', { roleId: 'whale' })]);
    held.release();
    expect((await first).body).toEqual(denied('whale', 'fish'));
    expect(await world.communities.assignments(id)).toEqual([]);
    expect(await world.events.of(id)).toEqual([]);
  });
});

describe('an undetermined role', () => {
  it.each([
    ['a node', 'NodeUnavailableError', () => world.breakNode()],
    ['identity', 'WalletsUnavailableError', () => world.breakIdentity()],
  ])(
    'undetermined role because %s is unavailable: changes nothing, and is never a denial',
    async (_, name, takeAway) => {
      const rules = [world.holds('5', { roleId: 'whale' }), { roleId: 'fish', not: world.holds('5') }];
      const { id, userId, ask } = await oneMember(rules, WHOLE);
      await world.communities.assign(id, userId, 'whale');
      const bringBack = takeAway();
      try {
        const { status, headers, body } = await ask();
        expect(status).toBe(503);
        expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
        const roles = [...granted('whale').roles, ...denied('fish').roles];
        const errors = ['whale', 'fish'].map((roleId, rule) => ({
          ...{ roleId, rule, name, retryable: true },
          message: expect.any(String),
        }));
        expect(body).toMatchObject({ error: { details: { code: 'roles_unavailable', roles, errors } } });
        const gentle = await ask(lenient);
        expect([gentle.status, gentle.body]).toEqual([200, { roles, errors }]);
        expect(gentle.headers.get('Preference-Applied')).toBe('handling=lenient');
        expect(await world.communities.assignments(id)).toEqual([`${userId} whale`]);
      } finally {
        bringBack();
      }
      expect((await ask()).body).toEqual({ roles: [...denied('whale').roles, ...granted('fish').roles] });
      expect((await world.events.roleChangesOf(id)).sort()).toEqual([
        `role.granted ${userId} fish`,
        `role.revoked ${userId} whale`,
      ]);
    },
  );

  it('undetermined role with a permanent failure: is returned as stored, with the error', async () => {
    const nowhere = world.holds('1', { contractAddress: `0x${'12'.repeat(20)}` });
    const rules = [
      { ...nowhere, roleId: 'whale' },
      { ...nowhere, roleId: 'fish', chainId: 999_999 },
    ];
    const { id, userId, ask } = await oneMember(rules, WHOLE);
    await world.communities.assign(id, userId, 'fish');
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [...denied('whale').roles, ...granted('fish').roles],
      errors: [
        { roleId: 'whale', name: 'NoContractError', retryable: false },
        { roleId: 'fish', rule: 1, name: 'UnknownChainError', retryable: false },
      ],
    });
    expect(await world.communities.assignments(id)).toEqual([`${userId} fish`]);
  });
});

describe('a member', () => {
  it('member who leaves during the evaluation: is not found', async () => {
    const { id, ask, userId } = await oneMember([world.holds('1', { roleId: 'whale' })], WHOLE);
    const held = world.holdNextAnswer();
    const asked = ask();
    await held.isRead;
    await world.communities.query(
      'DELETE FROM token_gating.community_members WHERE community_id = $1 AND user_id = $2',
      [id, userId],
    );
    held.release();
    expect((await asked).status).toBe(404);
    expect(await world.communities.assignments(id)).toEqual([]);
  });

  it('member: keeps the stored roles while the rules cannot be parsed', async () => {
    const { id, ask, userId } = await oneMember([{ type: 'YET_UNKNOWN', roleId: 'whale' }], WHOLE);
    await world.communities.assign(id, userId, 'fish');
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [...denied('whale').roles, ...granted('fish').roles],
      errors: ['whale', 'fish'].map((roleId) => ({
        ...{ roleId, name: 'UnreadableRulesError', retryable: false },
      })),
    });
    expect(await world.communities.assignments(id)).toEqual([`${userId} fish`]);
  });
});

describe('a request for roles', () => {
  const member = 'user_member';
  const communities: Record<string, string> = {};

  beforeAll(async () => {
    const fields = {
      roles: ['whale'],
      members: [member, 'user_other_member'],
      administrators: ['user_administrator'],
      clients: ['client_attached'],
    };
    for (const visibility of ['public', 'members', 'hidden'] as const)
      communities[visibility] = await world.communities.create({ ...fields, visibility });
  });

  const both = { ...asClient('client_attached'), ...asUser('user_stranger') };
  const ownThrough = { ...asClient('client_stranger'), ...asUser(member) };

  it.each([
    ['the member', asUser(member), 200, 200, 200],
    ['the member, through any application', ownThrough, 200, 200, 200],
    ['an administrator', asUser('user_administrator'), 200, 200, 200],
    ['an attached client application', asClient('client_attached'), 200, 200, 200],
    ['another member', asUser('user_other_member'), 404, 404, 404],
    ['a stranger', asUser('user_stranger'), 404, 404, 404],
    ['a stranger through the attached application', both, 404, 404, 404],
    ['another client application', asClient('client_stranger'), 404, 404, 404],
  ] as const)('request for roles: %s', async (_, principal, ofPublic, ofMembers, ofHidden) => {
    const statuses = [];
    for (const visibility of ['public', 'members', 'hidden']) {
      const { status } = await world.roles(communities[visibility] ?? '', member, principal);
      const { status: byOther } = await world.roles(
        communities[visibility] ?? '',
        `chat-of-${member}`,
        principal,
      );
      expect(byOther).toBe(status);
      statuses.push(status);
    }
    expect(statuses).toEqual([ofPublic, ofMembers, ofHidden]);
  });

  const withoutId = (body: unknown) => {
    const { error } = body as { error: { details: object } };
    return { ...error, details: { ...error.details, requestId: '' } };
  };

  it('request for roles: gets the same error for a member they may not see and a missing one', async () => {
    const stranger = asUser('user_stranger');
    const bodyOf = async (id: string, userId: string) => {
      return withoutId((await world.roles(id, userId, stranger)).body);
    };
    const open = communities['public'] ?? '';
    expect(await bodyOf(open, member)).toEqual(await bodyOf(open, 'user_unknown'));
    const hidden = communities['hidden'] ?? '';
    expect(await bodyOf(hidden, member)).toEqual(await bodyOf('community_none', member));
    const own = await world.roles(hidden, member, asUser('user_other_member'));
    const none = await world.roles('community_none', member, asUser('user_other_member'));
    expect([own.status, withoutId(own.body)]).toEqual([none.status, withoutId(none.body)]);
  });

  it('request for roles: is rejected when two members have the same platform id', async () => {
    const open = communities['public'] ?? '';
    await world.communities.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       VALUES ($1, 'user_twin', 'codehost', $2)`,
      [open, `chat-of-${member}`],
    );
    const asked = await world.roles(open, `chat-of-${member}`, asUser('user_administrator'));
    expect(asked).toMatchObject({ status: 409, body: { error: { details: { code: 'user_id_conflict' } } } });
    expect((await world.roles(open, member, asUser('user_administrator'))).status).toBe(200);
    expect((await world.roles(open, `chat-of-${member}`, asUser(member))).status).toBe(200);
  });

  it('request for roles: prefers the user id over the same platform id of another member', async () => {
    const open = communities['public'] ?? '';
    await world.communities.query(
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
       VALUES ($1, 'user_mimic', 'codehost', $2)`,
      [open, member],
    );
    expect((await world.roles(open, member, asUser('user_administrator'))).status).toBe(200);
    expect((await world.roles(open, member, asUser('user_mimic'))).status).toBe(404);
    expect((await world.roles(open, member, asUser(member))).status).toBe(200);
  });
});
