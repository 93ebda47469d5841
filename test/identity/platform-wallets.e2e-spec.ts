import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deriveUserId } from '@app/auth';
import { parseEther } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Client } from '../support/create-client.js';
import { LocalChain } from '../support/local-chain.js';
import { until } from '../support/until.js';
import { codeOf, CommunitiesWorld, type Headers, idOf } from '../token-gating/communities-world.js';
import { OperatorPortal } from '../account-kit/operator-portal.js';
import { newKey } from './linking-world.js';
import { solanaKey } from './solana-key.js';

const SCOPES = ['community:read', 'community:write', 'token-gating'];

const operator = newKey();

interface Challenge {
  message: string;
  requestId: string;
  expiresAt: string;
  url: string;
}

describe('wallets of platform users', () => {
  let chain: LocalChain;
  let world: CommunitiesWorld;
  let ownerId: string;

  beforeAll(async () => {
    chain = await LocalChain.start();
    world = await CommunitiesWorld.start({
      [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
      OPERATOR_ACCOUNTS: `eip155:1:${operator.address}`,
    });
    ownerId = await world.newUser();
  }, 120_000);

  afterAll(async () => {
    await world.stop();
    await chain.stop();
  });

  /** A key with this much of the native coin. */
  const newRichKey = async (amount = '1'): Promise<PrivateKeyAccount> => {
    const key = newKey();
    await chain.client.setBalance({ address: key.address, value: parseEther(amount) });
    return key;
  };

  const attach = (path: string, client: Client) =>
    world.expectOk(
      'PUT',
      `${path}/client-applications/${client.clientId}`,
      world.as(ownerId, { client, scopes: SCOPES }),
    );

  /** A community with an attached application and a chat user as a member. */
  const startCommunity = async ({ userId }: { userId: string } = { userId: randomUUID() }) => {
    const path = await world.newCommunity(ownerId);
    const client = await world.newClient(SCOPES);
    await attach(path, client);
    const key: Headers = { 'x-api-key': client.apiKey };
    const users = [{ platform: 'chat', platformUserId: userId, username: 'ann' }];
    await world.expectOk('PUT', `${path}/platform-users`, key, { users });
    return { path, client, key, userId, wallets: `${path}/platform-users/${userId}/wallets` };
  };
  type Community = Awaited<ReturnType<typeof startCommunity>>;

  const newChallenge = async ({ wallets, key }: Pick<Community, 'wallets' | 'key'>) =>
    (await world.expectOk(
      'POST',
      wallets.replace(/wallets$/, 'wallet-challenges'),
      key,
    )) as unknown as Challenge;

  const link = async (community: Pick<Community, 'wallets' | 'key'>, wallet: PrivateKeyAccount) => {
    const { message, requestId } = await newChallenge(community);
    const signature = await wallet.signMessage({ message });
    const body = { requestId, address: wallet.address, signature };
    return world.call('POST', community.wallets, community.key, body);
  };

  const listIds = async ({ wallets, key }: Community) => {
    const { items } = await world.expectOk('GET', wallets, key);
    return (items as { id: string }[]).map(({ id }) => id);
  };

  const rolesOf = async ({ path, userId, key }: Community): Promise<unknown> => {
    const { items } = await world.expectOk('GET', `${path}/members`, key);
    const members = items as { platformUserId: string; platform: string; roles: string[] }[];
    return members.find((one) => one.platformUserId === userId && one.platform === 'chat')?.roles;
  };

  /** Whether the chains grant the role now, whatever is stored. */
  const isGrantedNow = async ({ path, userId, key }: Community): Promise<unknown> => {
    const { roles } = await world.expectOk('GET', `/access-control/${idOf(path)}/${userId}/roles`, key);
    return (roles as { granted: boolean }[]).map(({ granted }) => granted);
  };

  const setRule = async ({ path }: Community) => {
    const owner = world.as(ownerId);
    await world.expectOk('POST', `${path}/roles`, owner, { id: 'rich', name: 'Rich' });
    const rules = [{ type: 'NATIVE', chainId: chain.chainId, minToken: '1', roleId: 'rich' }];
    await world.expectOk('PUT', `${path}/rules`, owner, { rules });
  };

  it('T57: wallets of platform users: give a chat user a role, until the wallet is removed', async () => {
    const community = await startCommunity();
    await setRule(community);
    const wallet = await newRichKey();
    const { message, requestId, expiresAt, url } = await newChallenge(community);
    expect(message.split('\n')).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ asks you to link a wallet to a user of chat\.$/),
      '',
      expect.stringContaining('Sign this only if the user below is you'),
      '',
      expect.stringMatching(/^URI: http:/),
      'Platform: chat',
      `User: ${community.userId}`,
      'Name: ann',
      `Community: Apes (${idOf(community.path)})`,
      expect.stringMatching(new RegExp(`^Application: .+ \\(${community.client.clientId}\\)$`)),
      expect.stringMatching(/^Nonce: \w{22}$/),
      expect.stringMatching(/^Issued At: /),
      `Expiration Time: ${expiresAt}`,
    ]);
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/wallet-links/${requestId}$`));
    expect(Date.parse(expiresAt) - Date.parse(/Issued At: (.*)/.exec(message)?.[1] ?? '')).toBe(3_600_000);

    const linked = await link(community, wallet);
    expect(linked).toEqual({
      status: 200,
      body: { id: expect.any(String), createdTime: expect.any(String) },
    });
    expect(await listIds(community)).toEqual([linked.body['id']]);
    expect((await link(community, wallet)).body).toEqual(linked.body);
    await until('the role is granted', async () => String(await rolesOf(community)) === 'rich');

    await world.expectOk('DELETE', `${community.wallets}/${String(linked.body['id'])}`, community.key);
    expect(await listIds(community)).toEqual([]);
    await until('the role is revoked', async () => String(await rolesOf(community)) === '');
    const again = await world.call('DELETE', `${community.wallets}/${wallet.address}`, community.key);
    expect([again.status, codeOf(again)]).toEqual([404, 'wallet_not_found']);
  });

  it('platform wallets: a Ledger on Solana links the issued message in its off-chain envelope, and no other', async () => {
    const community = await startCommunity();
    const ledger = solanaKey();
    const linkSigned = async (change: (message: string) => string) => {
      const { message, requestId } = await newChallenge(community);
      const signature = ledger.signedByLedger(change(message)).toString('base64');
      const body = { requestId, address: ledger.address, signature, signatureType: 'ed25519' };
      return (await world.call('POST', community.wallets, community.key, body)).status;
    };
    expect(await linkSigned((message) => `${message} `)).toBe(400);
    expect(await linkSigned((message) => message)).toBe(200);
  });

  it('wallets of platform users: show addresses only to applications that are approved for them', async () => {
    const community = await startCommunity();
    const reader = await world.newClient([...SCOPES, 'user:wallet:read']);
    await attach(community.path, reader);
    const key = { 'x-api-key': reader.apiKey };
    const wallet = newKey();
    expect((await link(community, wallet)).status).toBe(200);
    const { items } = await world.expectOk('GET', community.wallets, key);
    expect(items).toMatchObject([
      {
        address: wallet.address,
        accountId: `eip155:1:${wallet.address}`,
        platform: 'ethereum',
        walletType: 'eoa',
        chainId: '1',
      },
    ]);
    await world.expectOk('DELETE', `${community.wallets}/${wallet.address.toLowerCase()}`, key);
    expect(await listIds(community)).toEqual([]);
  });

  describe('challenges', () => {
    it('wallets of platform users, challenges: are used up by one attempt', async () => {
      const community = await startCommunity();
      const { message, requestId } = await newChallenge(community);
      const [wallet, other] = [newKey(), newKey()];
      const post = (address: string, signature: string) =>
        world.call('POST', community.wallets, community.key, { requestId, address, signature });
      const signature = await wallet.signMessage({ message });
      const refused = await post(other.address, signature);
      expect(codeOf(refused)).toBe('signature_invalid');
      expect(JSON.stringify(refused.body)).toContain('"path":"signature"');
      expect(codeOf(await post(wallet.address, signature))).toBe('challenge_invalid');
      expect(await listIds(community)).toEqual([]);
    });

    it('wallets of platform users, challenges: expire', async () => {
      const community = await startCommunity();
      const { message, requestId } = await newChallenge(community);
      await world.query(
        "UPDATE identity.wallet_challenges SET expires_at = now() - interval '1 s' WHERE request_id = $1",
        [requestId],
      );
      const wallet = newKey();
      const body = { requestId, address: wallet.address, signature: await wallet.signMessage({ message }) };
      expect(codeOf(await world.call('POST', community.wallets, community.key, body))).toBe(
        'challenge_invalid',
      );
    });

    it('T252: wallet challenges of platform users: a contract account has an hour, a key ten minutes', async () => {
      const community = await startCommunity();
      const owner = newKey();
      const { address } = await chain.deploy('SignerWallet', [owner.address]);
      const contract = { address, chainId: String(chain.chainId) };
      const linkAfter = async (minutes: number, wallet: object) => {
        const { message, requestId } = await newChallenge(community);
        await world.query(
          `UPDATE identity.wallet_challenges SET issued_at = issued_at - make_interval(mins => $2),
             expires_at = expires_at - make_interval(mins => $2) WHERE request_id = $1`,
          [requestId, minutes],
        );
        const body = { requestId, ...wallet, signature: await owner.signMessage({ message }) };
        return world.call('POST', community.wallets, community.key, body);
      };
      expect((await linkAfter(59, contract)).status).toBe(200);
      expect(codeOf(await linkAfter(61, contract))).toBe('challenge_invalid');
      expect(codeOf(await linkAfter(11, { address: owner.address }))).toBe('challenge_invalid');
      expect((await linkAfter(9, { address: owner.address })).status).toBe(200);
    });

    it('wallets of platform users, challenges: belong to one application, one user and one community', async () => {
      const community = await startCommunity();
      const second = await world.newClient(SCOPES);
      await attach(community.path, second);
      const users = [{ platform: 'chat', platformUserId: `${community.userId} other` }];
      await world.expectOk('PUT', `${community.path}/platform-users`, community.key, { users });
      const elsewhere = await startCommunity({ userId: community.userId });
      await attach(elsewhere.path, community.client);
      const { message, requestId } = await newChallenge(community);
      const wallet = newKey();
      const body = { requestId, address: wallet.address, signature: await wallet.signMessage({ message }) };
      const attempts: [string, Headers][] = [
        [community.wallets, { 'x-api-key': second.apiKey }],
        [community.wallets.replace('/wallets', '%20other/wallets'), community.key],
        [elsewhere.wallets, community.key],
      ];
      for (const [path, headers] of attempts)
        expect(codeOf(await world.call('POST', path, headers, body))).toBe('challenge_invalid');
      expect((await world.call('POST', community.wallets, community.key, body)).status).toBe(200);
    });
  });

  it('T57: wallets of platform users: are not linked, listed or removed by an application that is detached', async () => {
    const community = await startCommunity();
    await link(community, newKey());
    const { message, requestId } = await newChallenge(community);
    const { path, wallets, key, client } = community;
    await world.expectOk('DELETE', `${path}/client-applications/${client.clientId}`, world.as(ownerId));
    const wallet = newKey();
    const body = { requestId, address: wallet.address, signature: await wallet.signMessage({ message }) };
    const calls: [string, string, object?][] = [
      ['POST', wallets.replace(/wallets$/, 'wallet-challenges')],
      ['POST', wallets, body],
      ['GET', wallets],
      ['DELETE', `${wallets}/${wallet.address}`],
    ];
    for (const [method, url, sent] of calls) {
      const refused = await world.call(method, url, key, sent);
      expect([method, refused.status, codeOf(refused)]).toEqual([method, 404, 'community_not_found']);
    }
    await world.expectOk('PATCH', path, world.as(ownerId), { visibility: 'public' });
    const refused = await world.call('GET', wallets, key);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'attached_client_required']);
    const forUser = world.as(ownerId, { client, scopes: SCOPES });
    expect((await world.call('GET', wallets, forUser)).status).toBe(403);
  });

  it('T57: wallets of platform users: those of a user of another platform with the same id are apart', async () => {
    const community = await startCommunity();
    const { path, key, userId, wallets } = community;
    const users = [{ platform: 'codehost', platformUserId: userId }];
    await world.expectOk('PUT', `${path}/platform-users`, key, { users });
    const ambiguous = await world.call('GET', wallets, key);
    expect([ambiguous.status, codeOf(ambiguous)]).toEqual([409, 'user_id_conflict']);
    const of = (platform: 'chat' | 'codehost') => ({
      ...community,
      wallets: `${path}/platform-users/${deriveUserId(platform, userId)}/wallets`,
    });
    expect((await link(of('codehost'), newKey())).status).toBe(200);
    expect(await listIds(of('chat'))).toEqual([]);
    expect(await listIds(of('codehost'))).toHaveLength(1);
  });

  it('T57: wallets of platform users: those of other tenants neither count nor are removed nor use up the limit', async () => {
    const victim = await startCommunity();
    await setRule(victim);
    const attacker = await startCommunity({ userId: victim.userId });
    const wallet = newKey();
    expect((await link(victim, wallet)).status).toBe(200);
    expect((await link(attacker, await newRichKey())).status).toBe(200);
    expect(await isGrantedNow(victim)).toEqual([false]);
    const linksOf = async ({ path }: Community) =>
      (await world.eventsOf(path)).filter(({ type }) => type === 'wallet.linked').length;
    await until(
      'both communities have their event',
      async () => (await linksOf(attacker)) > 0 && (await linksOf(victim)) > 0,
    );
    expect([await linksOf(victim), await linksOf(attacker)]).toEqual([1, 1]);
    expect((await world.call('DELETE', `${attacker.wallets}/${wallet.address}`, attacker.key)).status).toBe(
      404,
    );
    await world.query(
      `INSERT INTO identity.wallet_connections
         (id, user_id, community_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
       SELECT 'wallet_' || n || $2, $1, $2, n, n, n, 'ethereum', 'eoa', '1' FROM generate_series(1, 24) n`,
      [deriveUserId('chat', victim.userId), idOf(attacker.path)],
    );
    const full = await link(attacker, newKey());
    expect([full.status, codeOf(full)]).toEqual([409, 'wallet_limit_exceeded']);
    const challenge = await newChallenge(victim);
    for (let n = 0; n < 11; n += 1) await newChallenge(attacker);

    const second = await newRichKey();
    const signature = await second.signMessage({ message: challenge.message });
    const body = { requestId: challenge.requestId, address: second.address, signature };
    expect((await world.call('POST', victim.wallets, victim.key, body)).status).toBe(200);
    expect(await listIds(victim)).toHaveLength(2);
    await until('the role is granted', async () => String(await rolesOf(victim)) === 'rich');
  });

  it('platform wallets: an application reads them in a suspended community and changes none, until it is resumed', async () => {
    const suspended = await startCommunity();
    const victim = await startCommunity();
    const wallet = newKey();
    for (const community of [suspended, victim]) expect((await link(community, wallet)).status).toBe(200);
    const { message, requestId } = await newChallenge(suspended);
    const communityId = idOf(suspended.path);
    const community = `/operator/communities/${communityId}`;
    const portal = await OperatorPortal.create({
      gatewayUrl: world.gatewayUrl,
      clientCommand: (args) => world.suite.clientCommand(args),
    });
    const [asOperator, asStranger] = [await portal.signIn(operator), await portal.signIn(newKey())];
    for (const [method, path, body] of [
      ['GET', community, undefined],
      ['PUT', `${community}/suspension`, { reason: 'It imitates another' }],
      ['DELETE', `${community}/suspension`, undefined],
    ] as const)
      expect((await world.call(method, path, asStranger, body)).status).toBe(403);
    expect(await world.expectOk('GET', community, asOperator)).toMatchObject({
      communityId,
      status: 'active',
    });
    await world.expectOk('PUT', `${community}/suspension`, asOperator, { reason: 'It imitates another' });
    expect(await world.expectOk('GET', community, asOperator)).toMatchObject({
      status: 'suspended',
      suspension: { reason: 'It imitates another' },
    });
    for (const reason of ['', ' ', 'two\nlines', 'x'.repeat(501)])
      expect((await world.call('PUT', `${community}/suspension`, asOperator, { reason })).status).toBe(400);
    const nowhere = await world.call('PUT', '/operator/communities/community_none/suspension', asOperator, {
      reason: 'x',
    });
    expect([nowhere.status, codeOf(nowhere)]).toEqual([404, 'community_not_found']);
    expect(
      await world.query(
        `SELECT action, details FROM identity.audit_records WHERE target = ANY($1::text[])
         AND action <> 'community.viewed' ORDER BY id`,
        [[communityId, 'community_none']],
      ),
    ).toEqual([{ action: 'community.suspended', details: { reason: 'It imitates another' } }]);
    const refused = [403, 'community_suspended'];
    const challenges = suspended.wallets.replace(/wallets$/, 'wallet-challenges');
    const challenged = await world.call('POST', challenges, suspended.key);
    expect([challenged.status, codeOf(challenged)]).toEqual(refused);
    const body = { requestId, address: wallet.address, signature: await wallet.signMessage({ message }) };
    const linked = await world.call('POST', suspended.wallets, suspended.key, body);
    expect([linked.status, codeOf(linked)]).toEqual(refused);
    const removed = await world.call('DELETE', `${suspended.wallets}/${wallet.address}`, suspended.key);
    expect([removed.status, codeOf(removed)]).toEqual(refused);
    expect(await listIds(suspended)).toHaveLength(1);
    expect((await newChallenge(victim)).message).toContain('chat');
    await world.expectOk('DELETE', `${community}/suspension`, asOperator);
    expect((await world.call('DELETE', `${suspended.wallets}/${wallet.address}`, suspended.key)).status).toBe(
      200,
    );
  });

  it('wallets of platform users: are not linked for users who sign in with a wallet', async () => {
    const community = await startCommunity();
    const userId = await world.newUser();
    const { inviteLink } = await world.expectOk('GET', community.path, world.as(ownerId));
    const invitation = String(inviteLink).split('/').pop() ?? '';
    await world.expectOk('POST', `${community.path}/members`, world.as(userId), { invitation });
    const path = `${community.path}/platform-users/${userId}/wallet-challenges`;
    const refused = await world.call('POST', path, community.key);
    expect([refused.status, codeOf(refused)]).toEqual([404, 'member_not_found']);
  });

  it('wallets of platform users: are deleted with their community', async () => {
    const [deleted, kept] = [await startCommunity(), await startCommunity()];
    for (const community of [deleted, kept]) expect((await link(community, newKey())).status).toBe(200);
    await world.expectOk('DELETE', deleted.path, world.as(ownerId));
    const sql = 'SELECT FROM identity.wallet_connections WHERE community_id = $1';
    await until(
      'the wallet is deleted',
      async () => (await world.query(sql, [idOf(deleted.path)])).length === 0,
    );
    expect(await listIds(kept)).toHaveLength(1);
  });
});
