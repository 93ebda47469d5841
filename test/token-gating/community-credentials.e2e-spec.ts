import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { queryDatabase } from '../identity/query-database.js';
import { until } from '../support/until.js';
import { code, CredentialClient, type Issued, PUBLIC_URL } from './credential-client.js';
import type { Answer } from './gating-app.js';
import { asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const WHOLE = 10n ** 18n;
const OWNER = 'user_owner';
const APPLICATION = 'client_wallet_app';

let world: RolesWorld;
let client: CredentialClient;
let ownerWallet: string;
let users = 0;

beforeAll(async () => {
  world = await RolesWorld.start({ SWEEP_INTERVAL_MS: '100' });
  client = await CredentialClient.create(world);
  ownerWallet = await world.wallet();
  world.book.set(OWNER, eoa(ownerWallet));
  world.book.unapproved.add('client_unapproved');
});

afterAll(async () => {
  await world.stop();
});

async function createMember(): Promise<{ userId: string; wallet: string }> {
  const userId = `user_member_${String((users += 1))}`;
  const wallet = await world.wallet(WHOLE);
  world.book.set(userId, eoa(wallet));
  return { userId, wallet };
}

/** A community of an approved application with these members, whose role `fish` needs a token. */
const createCommunity = (
  members: string[],
  clients = ['client_bot'],
  visibility: 'public' | 'members' = 'public',
) =>
  world.communities.create({
    visibility,
    roles: ['fish', 'whale'],
    rules: [world.holds('1', { roleId: 'fish' }), world.holds('1000', { roleId: 'whale' })],
    members,
    clients,
    administrators: [OWNER],
  });

const membership = (communityId: string) => ({ type: 'community-membership', communityId });
const role = (communityId: string, roleId = 'fish') => ({ type: 'community-role', communityId, roleId });

const refusal = (answer: Answer) => `${String(answer.status)} ${String(code(answer))}`;

const write = (method: string, path: string, userId: string) =>
  world.gating.request(method, path, undefined, {}, asUser(userId, 'community:write'));

async function asOperator(path: string, body: object): Promise<void> {
  const issuer = new PrincipalIssuer(world.gating.signingKey('identity'));
  const token = await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating');
  const response = await fetch(`${world.gating.app.url}/internal/community-suspensions/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(await response.text());
}

const publish = (event: object) =>
  world.queue('user-events').add('', {
    ...{ version: 1, batchId: randomUUID() },
    events: [{ id: randomUUID(), at: new Date().toISOString(), ...event }],
  });

/** Waits until the status list of the next period has the credential. Verifications ask the memberships, too. */
const expectRevokedInList = ({ id }: Issued) =>
  until('the entry of the credential is revoked', async () => {
    const rows = await queryDatabase(
      world.gating.databaseUrl,
      `SELECT FROM token_gating.credential_status_entries AS entries
       JOIN token_gating.verifiable_credentials AS credentials USING (list_id, entry)
       WHERE credentials.id = $1 AND entries.revoked_at IS NOT NULL AND credentials.revoked_at IS NOT NULL`,
      [id],
    );
    return rows.length === 1;
  });

async function expectRevoked(issued: Issued): Promise<void> {
  await expectRevokedInList(issued);
  expect(await client.check(issued.credential)).toMatchObject({ valid: false, status: 'revoked' });
}

async function expectValid({ credential }: Issued): Promise<void> {
  expect(await client.check(credential)).toMatchObject({ valid: true, status: 'valid' });
}

describe('issueCredential of communities', () => {
  it('issueCredential: a membership names the community, the account of its owner and not its name', async () => {
    const { userId, wallet } = await createMember();
    const communityId = await createCommunity([userId]);
    const { credential } = await client.issue(membership(communityId), userId);
    const { claims, ...answer } = await client.check(credential);
    expect(answer).toEqual({
      valid: true,
      status: 'valid',
      holder: 'unproven',
      type: 'community-membership',
    });
    const account = `eip155:1:${wallet}`;
    expect(claims).toEqual({ account, communityId, communityOwner: `eip155:1:${ownerWallet}` });
    const [jwt = ''] = credential.split('~', 1);
    const body = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(body).toMatchObject({ communityId, vct: `${PUBLIC_URL}/credential-types/community-membership` });
    expect(JSON.stringify(body)).not.toContain(wallet);
    expect((await client.check(`${jwt}~`)).claims).not.toHaveProperty('account');
  });

  it('issueCredential: a membership of a community that members alone see does not name its owner', async () => {
    const { userId, wallet } = await createMember();
    const communityId = await createCommunity([userId], ['client_bot'], 'members');
    const { credential } = await client.issue(membership(communityId), userId);
    const { claims } = await client.check(credential);
    expect(claims).toEqual({ account: `eip155:1:${wallet}`, communityId });
  });

  it('issueCredential: a role is checked on the chain now, and another role is 409', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const { credential } = await client.issue(role(communityId), userId);
    expect((await client.check(credential)).claims).toMatchObject({ communityId, roleId: 'fish' });
    for (const roleId of ['whale', 'unknown'])
      expect(refusal(await client.ask(role(communityId, roleId), userId))).toBe(
        '409 community_role_required',
      );
  });

  it('issueCredential: a role is 503 while the node does not answer, and the same proof works afterwards', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const proof = await client.prove(await client.createNonce(userId));
    const repair = world.breakNode();
    expect(refusal(await client.ask({ ...role(communityId), proof }, userId))).toBe('503 roles_unavailable');
    repair();
    expect((await client.ask({ ...role(communityId), proof }, userId)).status).toBe(200);
  });

  it('issueCredential: strangers get 409 for a public community and 404 for one that they may not see', async () => {
    const [{ userId }, { userId: stranger }] = [await createMember(), await createMember()];
    const seen = await createCommunity([userId]);
    const closed = await world.communities.create({ visibility: 'members', members: [userId] });
    expect(refusal(await client.ask(membership(seen), stranger))).toBe('409 community_membership_required');
    expect(refusal(await client.ask(membership(closed), stranger))).toBe('404 community_not_found');
    expect(refusal(await client.ask(membership('community_unknown'), stranger))).toBe(
      '404 community_not_found',
    );
  });

  it('issueCredential: a community without an approved application is 403', async () => {
    const { userId } = await createMember();
    for (const clients of [[], ['client_unapproved']]) {
      const communityId = await createCommunity([userId], clients);
      expect(refusal(await client.ask(membership(communityId), userId, 'client_bot'))).toBe(
        '403 approval_required',
      );
    }
  });

  it('issueCredential: names the field that a type does not have, lacks, or that lives too long', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const days = (count: number) => ({ expiresIn: count * 86_400 });
    for (const [fields, field] of [
      [{ ...membership(communityId), roleId: 'fish' }, 'roleId'],
      [{ type: 'community-role', communityId }, 'roleId'],
      [{ type: 'community-membership' }, 'communityId'],
      [{ ...membership(communityId), ...days(31) }, 'expiresIn'],
      [{ type: 'asset-ownership', communityId, assets: [] }, 'assets'],
    ] as const) {
      const answer = await client.ask(fields, userId);
      expect(refusal(answer)).toBe('400 input_invalid');
      expect(JSON.stringify(answer.body)).toContain(field);
    }
    expect((await client.ask({ ...membership(communityId), ...days(30) }, userId)).status).toBe(200);
  });
});

describe('what ends credentials of communities', () => {
  it('leaveCommunity: ends the credentials of this member about this community, and no other', async () => {
    const [{ userId }, { userId: other }] = [await createMember(), await createMember()];
    const communityId = await createCommunity([userId, other]);
    const elsewhere = await createCommunity([userId]);
    const ended = [
      await client.issue(membership(communityId), userId),
      await client.issue(role(communityId), userId),
    ];
    const kept = [
      await client.issue(membership(elsewhere), userId),
      await client.issue(membership(communityId), other),
    ];
    expect((await write('DELETE', `/communities/${communityId}/members/me`, userId)).status).toBe(200);
    for (const issued of ended) await expectRevoked(issued);
    for (const issued of kept) await expectValid(issued);
  });

  it('checkRoles of a member: a role that is lost ends the credential about it, and not that of the membership', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const ended = await client.issue(role(communityId), userId);
    const kept = await client.issue(membership(communityId), userId);
    world.book.set(userId, eoa(await world.wallet()));
    expect((await world.roles(communityId, userId, asUser(userId))).status).toBe(200);
    await expectRevoked(ended);
    await expectValid(kept);
  });

  it('deleteRole: ends the credentials about the role', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const ended = await client.issue(role(communityId), userId);
    const kept = await client.issue(membership(communityId), userId);
    await world.communities.changeRules(communityId, []);
    const path = `/communities/${communityId}/roles/fish`;
    expect((await write('DELETE', path, OWNER)).status).toBe(200);
    await expectRevoked(ended);
    await expectValid(kept);
  });

  it('deleteCommunity: verifications see it at once, and status lists once the members are purged', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const issued = await client.issue(membership(communityId), userId);
    expect((await write('DELETE', `/communities/${communityId}`, OWNER)).status).toBe(200);
    expect(await client.check(issued.credential)).toMatchObject({ valid: false, status: 'revoked' });
    await expectRevoked(issued);
  });

  it('suspendCommunity: ends all credentials about the community, and resuming it brings none back', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const issued = await client.issue(membership(communityId), userId);
    await asOperator('set', { communityId, reason: 'It imitates another' });
    await expectRevoked(issued);
    expect(refusal(await client.ask(membership(communityId), userId))).toBe('403 community_suspended');
    await asOperator('remove', { communityId });
    await expectRevoked(issued);
    await client.issue(membership(communityId), userId);
  });

  it('consent.ended: ends what this application asked for before, and nothing of others', async () => {
    const { userId } = await createMember();
    const communityId = await createCommunity([userId]);
    const about = membership(communityId);
    const ended = await client.issue(about, userId, APPLICATION);
    const kept = [await client.issue(about, userId, 'client_other'), await client.issue(about, userId)];
    const event = { type: 'consent.ended', userId, clientId: APPLICATION };
    await publish(event);
    await expectRevoked(ended);
    await publish({ ...event, at: new Date(Date.now() - 3_600_000).toISOString() });
    for (const issued of kept) await expectValid(issued);
  });

  it('consent.ended: ends what the application asks for just after it, until the event is handled, and nothing later', async () => {
    const { userId } = await createMember();
    const about = membership(await createCommunity([userId]));
    const endedAgo = (seconds: number) => ({
      ...{ type: 'consent.ended', userId, clientId: APPLICATION },
      at: new Date(Date.now() - seconds * 1_000).toISOString(),
    });
    const late = await client.issue(about, userId, APPLICATION);
    await publish(endedAgo(20));
    await expectRevoked(late);
    expect(refusal(await client.ask(about, userId, APPLICATION))).toBe('409 consent_required');
    await client.issue(about, userId, 'client_other');

    const { userId: another } = await createMember();
    const theirs = membership(await createCommunity([another]));
    const kept = await client.issue(theirs, another, APPLICATION);
    await publish({ ...endedAgo(120), userId: another });
    await publish({ ...endedAgo(0), userId });
    await expectValid(kept);
    await expectValid(await client.issue(theirs, another, APPLICATION));
  });

  it('consent.ended: lets a token of a new consent ask at once, and a late event ends nothing that it asked for', async () => {
    const { userId } = await createMember();
    const about = membership(await createCommunity([userId]));
    const endedAt = Math.floor(Date.now() / 1_000);
    const event = {
      ...{ type: 'consent.ended', userId, clientId: APPLICATION },
      at: new Date(endedAt * 1_000).toISOString(),
    };
    const askWith = (tokenIssuedAt?: number) => client.ask(about, userId, APPLICATION, tokenIssuedAt);
    const ended = (await askWith(endedAt - 60)).body as Issued;
    const kept = (await askWith(endedAt + 6)).body as Issued;
    await publish(event);
    await expectRevoked(ended);
    await expectValid(kept);
    for (const tokenIssuedAt of [endedAt - 60, endedAt + 4, undefined])
      expect(refusal(await askWith(tokenIssuedAt))).toBe('409 consent_required');
    expect((await askWith(endedAt + 6)).status).toBe(200);
    await publish({ type: 'user.erased', userId });
    await expectRevoked(kept);
    const asset = {
      type: 'asset-ownership',
      assets: [`eip155:${world.chainId}/erc20:${world.token.address}`],
    };
    expect(refusal(await client.ask(asset, userId, APPLICATION, endedAt + 60))).toBe('409 consent_required');
  });

  it('a client application that is deleted: ends what it asked for, and nothing of others', async () => {
    const [{ userId }, { userId: other }] = [await createMember(), await createMember()];
    const communityId = await createCommunity([userId, other]);
    const about = membership(communityId);
    const ended = [
      await client.issue(about, userId, 'client_deleted'),
      await client.issue(about, other, 'client_deleted'),
    ];
    const kept = [await client.issue(about, userId, 'client_kept'), await client.issue(about, other)];
    world.book.removed.add('client_deleted');
    for (const issued of ended) await expectRevoked(issued);
    for (const issued of kept) await expectValid(issued);
  });

  it('user.erased: ends all credentials, and none is issued just after it', async () => {
    const { userId } = await createMember();
    const about = membership(await createCommunity([userId]));
    const ended = await client.issue(about, userId, APPLICATION);
    await publish({ type: 'user.erased', userId });
    await expectRevoked(ended);
    const asset = {
      type: 'asset-ownership',
      assets: [`eip155:${world.chainId}/erc20:${world.token.address}`],
    };
    for (const clientId of [APPLICATION, undefined])
      expect(refusal(await client.ask(asset, userId, clientId))).toBe('409 consent_required');
  });

  it('user.erased: no asset claim is made just after it', async () => {
    const { userId } = await createMember();
    const claim = (as = userId) => {
      const assets = [`eip155:${world.chainId}/erc20:${world.token.address}`];
      const principal = asUser(as, 'user:wallet:read');
      return world.gating.request('POST', '/asset-verification', JSON.stringify({ assets }), {}, principal);
    };
    expect((await claim()).status).toBe(200);
    await publish({ type: 'user.erased', userId });
    await until('claims are refused', async () => refusal(await claim()) === '409 consent_required');
    const rows = 'SELECT FROM token_gating.asset_claims WHERE user_id = $1';
    await until('the claims are deleted', async () => {
      return (await queryDatabase(world.gating.databaseUrl, rows, [userId])).length === 0;
    });
    const { userId: other } = await createMember();
    expect((await claim(other)).status).toBe(200);
  });

  it('issueCredential: an application whose consent ends at the same time is refused, or its credential ends', async () => {
    for (let round = 0; round < 10; round++) {
      const { userId } = await createMember();
      const about = membership(await createCommunity([userId]));
      const proofs = await Promise.all(
        Array.from({ length: 4 }, async () => client.prove(await client.createNonce(userId))),
      );
      const asked = proofs.map((proof) => client.ask({ ...about, proof }, userId, APPLICATION));
      await publish({ type: 'consent.ended', userId, clientId: APPLICATION });
      for (const answer of await Promise.all(asked)) {
        if (answer.status === 200) await expectRevoked(answer.body as Issued);
        else expect(refusal(answer)).toBe('409 consent_required');
      }
    }
  });

  it('leaveCommunity: a credential that is asked for at the same time is either refused or ends', async () => {
    for (let round = 0; round < 10; round++) {
      const { userId } = await createMember();
      const communityId = await createCommunity([userId]);
      const proofs = await Promise.all(
        Array.from({ length: 4 }, async () => client.prove(await client.createNonce(userId))),
      );
      const asked = proofs.map((proof) => client.ask({ ...membership(communityId), proof }, userId));
      const left = write('DELETE', `/communities/${communityId}/members/me`, userId);
      const answers = await Promise.all(asked);
      expect((await left).status).toBe(200);
      for (const answer of answers) {
        if (answer.status === 200) await expectRevoked(answer.body as Issued);
        else expect(refusal(answer)).toBe('409 community_membership_required');
      }
    }
  });
});
