import 'reflect-metadata';
import { createHash, type JsonWebKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, DAY_SECONDS, MINUTE_MS, deriveKey, encryptAesGcm } from '@app/common';
import { type Database, createDatabase } from '@app/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PrincipalIssuer, type Principal } from '@app/auth';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import fc from 'fast-check';
import { decodeJwt, type JWK, SignJWT } from 'jose';
import { pino } from 'pino';
import type { Address } from 'viem';
import { storage } from '../../apps/token-gating/src/database/storage.js';
import {
  createCredentialKeyStore,
  CredentialKeyRing,
} from '../../apps/token-gating/src/verifiable-credentials/credential-key-ring.js';
import { queryDatabase } from '../identity/query-database.js';
import { operationOf } from '../support/operation-of.js';
import type { DeployedContract } from '../support/local-chain.js';
import { until } from '../support/until.js';
import {
  anonymous,
  asHolder,
  code,
  createKeys,
  CredentialClient,
  hash,
  OWN,
  PUBLIC_URL,
  VERIFIER,
} from './credential-client.js';
import { findRevokedEntries } from '../../apps/token-gating/src/verifiable-credentials/status/status-lists.queries.js';
import { STATUS_LIST_PERIOD_SECONDS } from '../../apps/token-gating/src/verifiable-credentials/verifiable-credential.config.js';
import { asUser, RolesWorld } from './roles-world.js';
import { eoa } from './wallet-book.js';

const reader: Principal = {
  kind: 'caller',
  client: { id: 'client_1', ownerId: 'owner_1', plan: 'free' },
  scopes: ['verifiable-credential:read'],
};
const SECRET = randomBytes(32);
/** Three full lists: the second was opened 35 days ago, so that no credential with an entry of the first can be valid. */
const INSERT_FULL_LISTS = `
  WITH lists AS (
    INSERT INTO token_gating.credential_status_lists (used, created_at)
    SELECT 65536, now() - days * interval '1 day' FROM unnest(ARRAY[40, 35, 1]) AS days RETURNING id
  )
  INSERT INTO token_gating.credential_status_entries (list_id, entry) SELECT id, 7 FROM lists`;

let world: RolesWorld;
let nfts: DeployedContract;
let holder: string;
let client: CredentialClient;
let nextToken = 1n;

beforeAll(async () => {
  world = await RolesWorld.start({ CALLBACK_KEY_SECRET: SECRET.toString('base64url') });
  await queryDatabase(world.gating.databaseUrl, INSERT_FULL_LISTS);
  nfts = await world.gated.chain.deploy('DemoERC721', ['Demo', 'NFT']);
  holder = await world.wallet(1n);
  world.book.set('user_owner', eoa(holder));
  client = await CredentialClient.create(world);
});

afterAll(async () => {
  await world.stop();
});

const send: CredentialClient['send'] = (...request) => client.send(...request);
const erc20 = () => `eip155:${world.chainId}/erc20:${world.token.address}`;
const nft = (id: bigint) => `eip155:${world.chainId}/erc721:${nfts.address}/${id}`;

async function mint(owner: string): Promise<bigint> {
  const id = nextToken++;
  await world.gated.chain.mint(nfts, owner as Address, id);
  return id;
}

async function move(id: bigint, from: string, to: string): Promise<void> {
  const { client } = world.gated.chain;
  await client.impersonateAccount({ address: from as Address });
  await client.setBalance({ address: from as Address, value: 10n ** 18n });
  const hash = await client.writeContract({
    ...nfts,
    functionName: 'transferFrom',
    args: [from, to, id],
    account: from as Address,
  });
  await client.waitForTransactionReceipt({ hash });
}

const createNonce = (user?: string) => client.createNonce(user);
const prove: CredentialClient['prove'] = (...proof) => client.prove(...proof);
const ask = (fields: object = {}, user?: string, clientId?: string) =>
  client.ask({ type: 'asset-ownership', assets: [erc20()], ...fields }, user, clientId);
const issue = (fields: object = {}, user?: string, clientId?: string) =>
  client.issue({ type: 'asset-ownership', assets: [erc20()], ...fields }, user, clientId);

async function createHolder(userId: string): Promise<string> {
  world.book.set(userId, eoa(await world.wallet(1n)));
  return userId;
}

const silent = pino({ level: 'silent' });

/** The database of the app, with a pool of its own. */
function openDatabase(): Database {
  const settings = {
    DATABASE_URL: world.gating.databaseUrl,
    DATABASE_POOL_SIZE: 2,
    DATABASE_STATEMENT_TIMEOUT_MS: 5_000,
  };
  return createDatabase(storage, settings, { name: 'token-gating', logger: silent });
}

const query = (sql: string, parameters: unknown[] = []) =>
  queryDatabase(world.gating.databaseUrl, sql, parameters);
const check: CredentialClient['check'] = (...request) => client.check(...request);
const present: CredentialClient['present'] = (...presentation) => client.present(...presentation);

describe('issueCredential', () => {
  it('issueCredential: answers an SD-JWT VC that a second library verifies with the published keys, type and status list', async () => {
    const { credential } = await issue();
    const { body } = await send('GET', '/.well-known/jwt-vc-issuer', anonymous);
    const [jwk] = (body as { jwks: { keys: JWK[] } }).jwks.keys;
    const instance = new SDJwtVcInstance({
      hashAlg: 'sha-256',
      hasher: (data) =>
        createHash('sha256')
          .update(Buffer.from(data as string))
          .digest(),
      verifier: (data, signature) =>
        verify(
          'sha256',
          Buffer.from(data),
          { key: { ...jwk } as JsonWebKey, format: 'jwk', dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      statusListFetcher: async (uri: string) => {
        const { app } = world.gating;
        return (await fetchAsGateway(app.url, uri.slice(PUBLIC_URL.length))).text();
      },
    });
    const { payload, header } = await instance.verify(credential);
    expect(header).toMatchObject({ alg: 'ES256', typ: 'dc+sd-jwt', kid: jwk?.kid });
    expect(payload).toMatchObject({
      iss: PUBLIC_URL,
      vct: `${PUBLIC_URL}/credential-types/asset-ownership`,
      account: `eip155:1:${holder}`,
      assets: [erc20()],
    });
  });

  it('issueCredential: account and assets are not in the signed part', async () => {
    const { credential } = await issue();
    const [jwt = ''] = credential.split('~', 1);
    const body = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString();
    expect(body).not.toContain(holder);
    expect(body).not.toContain(world.token.address);
    expect(body).toContain('readTime');
  });

  it('issueCredential: is 409 for an asset that is not held, and names it', async () => {
    const answer = await ask({ assets: [erc20(), nft(999_999n)] });
    expect({ status: answer.status, code: code(answer) }).toEqual({
      status: 409,
      code: 'held_assets_required',
    });
    expect(JSON.stringify(answer.body)).toContain('999999');
  });

  it('issueCredential: is 503 while the node does not answer, and the same proof works afterwards', async () => {
    const proof = await prove(await createNonce());
    const repair = world.breakNode();
    const answer = await ask({ proof });
    repair();
    expect({ status: answer.status, code: code(answer) }).toEqual({
      status: 503,
      code: 'assets_unavailable',
    });
    expect((await ask({ proof })).status).toBe(200);
  });

  it('issueCredential: is 403 for a wallet of another user', async () => {
    const answer = await ask({ account: '0x00000000000000000000000000000000000000b1' });
    expect({ status: answer.status, code: code(answer) }).toEqual({ status: 403, code: 'account_forbidden' });
  });

  it.each<[string, () => Promise<string>]>([
    [
      'a used nonce',
      async () => {
        const proof = await prove(await createNonce());
        await issue({ proof });
        return proof;
      },
    ],
    ['a nonce of another user', async () => prove(await createNonce('user_other'))],
    ['an altered nonce', async () => prove(`B${(await createNonce()).slice(1)}`)],
    ['another audience', async () => prove(await createNonce(), { aud: VERIFIER })],
    ['another type', async () => prove(await createNonce(), { typ: 'JWT' })],
    ['another key', async () => prove(await createNonce(), { key: (await createKeys()).privateKey })],
    ['no JWT', () => Promise.resolve('proof')],
  ])('issueCredential: is 400 proof_invalid for a proof with %s', async (_, makeProof) => {
    const answer = await ask({ proof: await makeProof() });
    expect({ status: answer.status, code: code(answer) }).toEqual({ status: 400, code: 'proof_invalid' });
  });

  it('issueCredential: is 400 for a key that is no point of P-256, and for a private key', async () => {
    const wrong = { ...client.keys.publicKey, y: 'A'.repeat(43) };
    for (const jwk of [wrong, { ...client.keys.publicKey, d: 'A'.repeat(43) }]) {
      const answer = await ask({ jwk });
      expect({ status: answer.status, code: code(answer) }).toEqual({ status: 400, code: 'input_invalid' });
    }
  });

  it('issueCredential: concurrent requests leave at most 100 live credentials, and a revoked one makes room', async () => {
    const wallet = await world.wallet(1n);
    world.book.set('user_many', eoa(wallet));
    const first = await issue({}, 'user_many');
    await queryDatabase(
      world.gating.databaseUrl,
      `INSERT INTO token_gating.verifiable_credentials
         (id, user_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims, thumbprint, is_public,
           list_id, entry, created_at, expires_at)
       SELECT gen_random_uuid()::text, user_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims,
         thumbprint, is_public, 0, n, created_at, expires_at
       FROM token_gating.verifiable_credentials, generate_series(1, 97) AS n WHERE id = '${first.id}'`,
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask({}, 'user_many')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409, 409]);
    await send('DELETE', `${OWN}/${first.id}`, asHolder('user_many'));
    expect((await ask({}, 'user_many')).status).toBe(200);
  });

  it('issueCredential: an application has at most as many live credentials of a user as it leaves, so that a third one has room', async () => {
    const user = await createHolder('user_crowded');
    const first = await issue({}, user, 'client_greedy');
    await query(
      `INSERT INTO token_gating.verifiable_credentials
         (id, user_id, client_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims, thumbprint, is_public,
           list_id, entry, created_at, expires_at)
       SELECT gen_random_uuid()::text, user_id, client_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims,
         thumbprint, is_public, -1, n, created_at, expires_at
       FROM token_gating.verifiable_credentials, generate_series(1, 49) AS n WHERE id = $1`,
      [first.id],
    );
    expect(code(await ask({}, user, 'client_greedy'))).toBe('credential_limit_exceeded');
    expect((await ask({}, user, 'client_modest')).status).toBe(200);
    await query(
      `INSERT INTO token_gating.verifiable_credentials
         (id, user_id, client_id, type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims, thumbprint, is_public,
           list_id, entry, created_at, expires_at)
       SELECT gen_random_uuid()::text, user_id, 'client_modest', type, account_key, wallet_type, wallet_chain_id, wallet_address, sealed_claims,
         thumbprint, is_public, -1, 100 + n, created_at, expires_at
       FROM token_gating.verifiable_credentials, generate_series(1, 24) AS n WHERE id = $1`,
      [first.id],
    );
    expect(code(await ask({}, user, 'client_modest'))).toBe('credential_limit_exceeded');
    expect((await ask({}, user, 'client_third')).status).toBe(200);
  });

  it('issueCredential: counts revoked credentials, and answers 429 above 200 a day of a user and above what an application leaves', async () => {
    const user = await createHolder('user_busy');
    const { id } = await issue({}, user, 'client_busy');
    await send('DELETE', `${OWN}/${id}`, asHolder(user, 'client_busy'));
    const counted = 'SELECT issued FROM token_gating.credential_issues WHERE user_id = $1';
    expect(await query(counted, [user])).toEqual([{ issued: 1 }]);
    await query('UPDATE token_gating.credential_issues SET issued = 99 WHERE user_id = $1', [user]);
    const answers = await Promise.all(Array.from({ length: 3 }, () => ask({}, user, 'client_busy')));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(code)).toEqual(['credential_issue_limit_exceeded', 'credential_issue_limit_exceeded']);
    for (const { status, headers } of refused) {
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(DAY_SECONDS);
    }
    expect((await ask({}, user, 'client_calm')).status).toBe(200);
    const other = await createHolder('user_calm');
    expect((await ask({}, other, 'client_busy')).status).toBe(200);
    // Half of what the first application left.
    await query(
      `UPDATE token_gating.credential_issues SET issued = 49 WHERE user_id = $1 AND client_id = 'client_calm'`,
      [user],
    );
    for (const status of [200, 429]) expect((await ask({}, user, 'client_calm')).status).toBe(status);
    expect((await ask({}, user, 'client_third')).status).toBe(200);
    await query(
      `UPDATE token_gating.credential_issues SET issued = 100 WHERE user_id = $1 AND client_id = 'client_calm'`,
      [user],
    );
    expect((await ask({}, user, 'client_third')).status).toBe(429);
    await query(`UPDATE token_gating.credential_issues SET day = day - 1 WHERE user_id = $1`, [user]);
    expect((await ask({}, user, 'client_busy')).status).toBe(200);
  });

  it('issueCredential: a credential that identity keeps from its user after it was stored uses up no cap, and an unlinked wallet does', async () => {
    const user = await createHolder('user_unlucky');
    const stored = `
      SELECT issued, (SELECT count(*)::int FROM token_gating.verifiable_credentials WHERE user_id = $1 AND revoked_at IS NULL) AS live
      FROM token_gating.credential_issues WHERE user_id = $1`;
    /** Asks while something happens at the second look at the wallets of the user. */
    const askWith = async (atSecondLook: () => void) => {
      let looks = 0;
      world.book.onAsk = (path) => {
        if (path !== '/internal/wallets/of-account') return;
        looks += 1;
        if (looks === 2) atSecondLook();
      };
      const answer = await ask({}, user, 'client_unlucky');
      world.book.onAsk = undefined;
      world.book.isAway = false;
      return answer.status;
    };
    expect(await askWith(() => (world.book.isAway = true))).toBe(503);
    expect(await query(stored, [user])).toEqual([{ issued: 0, live: 0 }]);
    expect(await askWith(() => undefined)).toBe(200);
    expect(await query(stored, [user])).toEqual([{ issued: 1, live: 1 }]);
    const other = eoa(await world.wallet(1n));
    const unlinked = await askWith(() => {
      world.book.set(user, other);
    });
    expect(unlinked).toBe(403);
    expect(await query(stored, [user])).toEqual([{ issued: 2, live: 1 }]);
  });

  it('issueCredential: is 503 and stores nothing at an instance that has not loaded its keys', async () => {
    const user = await createHolder('user_early');
    const rename = (from: string, to: string) => query(`ALTER TABLE token_gating.${from} RENAME TO ${to}`);
    await rename('credential_keys', 'hidden_keys');
    try {
      const fresh = await world.gating.another();
      const { publicKey: jwk } = client.keys;
      const proof = await prove(await createNonce(user));
      const body = JSON.stringify({ type: 'asset-ownership', assets: [erc20()], jwk, proof });
      const answer = await world.gating.request('POST', OWN, body, {}, asHolder(user), fresh);
      expect({ status: answer.status, code: code(answer) }).toEqual({
        status: 503,
        code: 'credential_keys_unavailable',
      });
    } finally {
      await rename('hidden_keys', 'credential_keys');
    }
    for (const table of ['verifiable_credentials', 'credential_issues'])
      expect(await query(`SELECT FROM token_gating.${table} WHERE user_id = $1`, [user])).toEqual([]);
  });

  it('revokeCredential: an application revokes what it asked for, and nothing that another one asked for', async () => {
    const user = await createHolder('user_shared');
    const { id, credential } = await issue({}, user, 'client_one');
    const foreign = await send('DELETE', `${OWN}/${id}`, asHolder(user, 'client_two'));
    expect({ status: foreign.status, code: code(foreign) }).toEqual({
      status: 404,
      code: 'credential_not_found',
    });
    expect(await check(credential)).toMatchObject({ status: 'valid' });
    expect((await send('DELETE', `${OWN}/${id}`, asHolder(user, 'client_one'))).status).toBe(200);
    expect(await check(credential)).toMatchObject({ status: 'revoked' });
  });
});

describe('credentials in the portal', () => {
  const list = async (userId: string): Promise<{ lines: { text: string; isName: boolean }[][] }[]> => {
    const issuer = new PrincipalIssuer(world.gating.signingKey('identity'));
    const token = await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating');
    const response = await fetch(`${world.gating.app.url}/internal/verifiable-credentials/list`, {
      method: 'POST',
      body: JSON.stringify({ userId }),
      headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(await response.text());
    return ((await response.json()) as { credentials: [] }).credentials;
  };

  it('UserCredentialsController.list: shows an asset that this release cannot read as it is stored', async () => {
    const user = await createHolder('user_of_later_release');
    const { id } = await issue({}, user);
    const asset = 'eip155:1/later42:0xab';
    const key = deriveKey(SECRET, 'claims of verifiable credentials');
    const sealed = encryptAesGcm(key, Buffer.from(JSON.stringify({ assets: [asset, erc20()] })), id);
    await query('UPDATE token_gating.verifiable_credentials SET sealed_claims = $2 WHERE id = $1', [
      id,
      sealed,
    ]);
    const [credential] = await list(user);
    expect(credential?.lines.map(([line]) => line?.text)).toEqual([
      asset,
      expect.stringContaining('Token 0x'),
    ]);
  });

  it('UserCredentialsController.list: sets names of communities and roles apart from the text around them', async () => {
    const user = await createHolder('user_of_named_community');
    const communityId = await world.communities.create({ members: [user] });
    await query('UPDATE token_gating.communities SET name = $2 WHERE id = $1', [communityId, '\u05d0 Apes']);
    const { id } = await issue({}, user);
    await query(
      `UPDATE token_gating.verifiable_credentials SET type = 'community-role', community_id = $2, role_id = 'whale' WHERE id = $1`,
      [id, communityId],
    );
    const [credential] = await list(user);
    expect(credential?.lines[0]).toEqual([
      { text: 'Role ', isName: false },
      { text: 'whale', isName: true },
      { text: ' in ', isName: false },
      { text: '\u05d0 Apes', isName: true },
    ]);
  });
});

describe('verifyCredential', () => {
  it('verifyCredential: a sold token leaves the credential valid as issued, and says that it is outdated', async () => {
    const seller = await world.wallet();
    world.book.set('user_seller', eoa(seller));
    const id = await mint(seller);
    const { credential } = await issue({ assets: [nft(id)] }, 'user_seller');
    await move(id, seller, await world.wallet());
    expect(await check(credential)).toMatchObject({
      valid: true,
      status: 'outdated',
      reason: 'not_held_now',
    });
  });

  it('verifyCredential: judges the disclosed assets only, and shows no other claim', async () => {
    const { credential } = await issue();
    const [jwt = ''] = credential.split('~', 1);
    const { claims, ...answer } = await check(`${jwt}~`);
    expect(answer).toEqual({ valid: true, status: 'valid', holder: 'unproven', type: 'asset-ownership' });
    const number = Number(await world.gated.chain.client.getBlockNumber());
    const blocks = [{ chain: `eip155:${world.chainId}`, number }];
    expect(claims).toEqual({ assets: [], readTime: expect.any(String), blocks });
  });

  it('verifyCredential: presentations that disclose other assets of one credential cause no further reads', async () => {
    const assets = [nft(await mint(holder)), nft(await mint(holder)), erc20()];
    const countReads = () => world.gated.node.count('eth_call');
    // Unless ten seconds pass between the whole and the last part.
    await until('parts are judged by the read of the whole', async () => {
      const { credential } = await issue({ assets });
      const [jwt = '', ...disclosures] = credential.split('~').slice(0, -1);
      expect(await check(credential)).toMatchObject({ status: 'valid' });
      // Reads of one block, within two seconds, are shared anyway.
      await world.gated.chain.client.mine({ blocks: 1 });
      await sleep(3_000);
      const before = countReads();
      for (const one of disclosures) expect(await check(`${jwt}~${one}~`)).toMatchObject({ status: 'valid' });
      return countReads() === before;
    });
  });

  it('verifyCredential: proves the holder by a key-binding JWT for this nonce and audience', async () => {
    const { credential } = await issue();
    const presentation = await present(credential);
    const expected = { nonce: 'n-1', audience: VERIFIER };
    expect(await check(presentation, expected)).toMatchObject({ valid: true, holder: 'proven' });
    expect(await check(presentation)).toMatchObject({ valid: true, holder: 'unproven' });
  });

  it.each<[string, (credential: string) => Promise<string>]>([
    ['another nonce', (credential) => present(credential, { nonce: 'n-2' })],
    ['another audience', (credential) => present(credential, { aud: 'https://other.example' })],
    ['another presentation', (credential) => present(credential, { sdHash: hash('x~') })],
    ['another key', async (credential) => present(credential, { key: (await createKeys()).privateKey })],
    ['an age of ten minutes', (credential) => present(credential, { iat: Date.now() / 1_000 - 600 })],
    ['no key-binding JWT', (credential) => Promise.resolve(credential)],
  ])('verifyCredential: is not valid with %s', async (_, change) => {
    const { credential } = await issue();
    const answer = await check(await change(credential), { nonce: 'n-1', audience: VERIFIER });
    expect(answer).toMatchObject({ valid: false, holder: 'unproven', reason: 'holder_unproven' });
  });

  it('verifyCredential: a revoked credential is revoked at once, and in the next status list', async () => {
    const { id, credential } = await issue();
    expect((await send('DELETE', `${OWN}/${id}`, asHolder('user_owner'))).status).toBe(200);
    expect(await check(credential)).toMatchObject({ valid: false, status: 'revoked', reason: 'revoked' });
    const rows = await queryDatabase(
      world.gating.databaseUrl,
      `SELECT count(*)::int AS revoked FROM token_gating.credential_status_entries AS entries
       JOIN token_gating.verifiable_credentials AS credentials USING (list_id, entry)
       WHERE credentials.id = '${id}' AND entries.revoked_at IS NOT NULL`,
    );
    expect(rows).toEqual([{ revoked: 1 }]);
  });

  it('verifyCredential: altered bytes are never valid and never a server error', async () => {
    const { credential } = await issue();
    const bytes = Buffer.from(credential);
    const alteration = fc.tuple(fc.nat(bytes.length - 2), fc.integer({ min: 33, max: 126 }));
    await fc.assert(
      fc.asyncProperty(alteration, async ([index, value]) => {
        const altered = Buffer.from(bytes);
        fc.pre(altered[index] !== value);
        altered[index] = value;
        const [jwt, ...disclosures] = altered.toString().split('~');
        const answer = await check(altered.toString());
        // The last character of a signature has bits that say nothing.
        const isSpelling = jwt !== undefined && isSameSignature(jwt, credential.split('~')[0] ?? '');
        if (answer.valid)
          expect({ isSpelling, disclosures: disclosures.length }).toMatchObject({ isSpelling: true });
      }),
      { numRuns: 60 },
    );
  });

  it('verifyCredential: text of any kind is not a credential', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 200 }), async (text) => {
        fc.pre(!text.includes('\u0000'));
        expect(await check(text)).toEqual({ valid: false, holder: 'unproven', reason: 'credential_invalid' });
      }),
      { numRuns: 40 },
    );
  });
});

describe('credentials of a user', () => {
  it('listCredentials: shows claims and never the credential, and to nobody else', async () => {
    const { id } = await issue();
    const { body } = await send('GET', `${OWN}/${id}`, asHolder('user_owner'));
    expect(body).toMatchObject({
      id,
      status: 'valid',
      public: false,
      claims: { account: `eip155:1:${holder}` },
    });
    expect(body).not.toHaveProperty('credential');
    for (const [method, as] of [
      ['GET', 'user_other'],
      ['DELETE', 'user_other'],
    ] as const)
      expect((await send(method, `${OWN}/${id}`, asHolder(as))).status).toBe(404);
    const list = await send('GET', OWN, asHolder('user_other'));
    expect(list.body).toEqual({ items: [] });
  });

  it('getPublicCredential: answers what its user made public, and 404 for others', async () => {
    const [open, closed] = [await issue({ public: true }), await issue()];
    const { body } = await send('GET', `/verifiable-credentials/${open.id}`, reader);
    expect(body).toMatchObject({ id: open.id, claims: { account: `eip155:1:${holder}`, assets: [erc20()] } });
    for (const absent of ['credential', 'thumbprint']) expect(body).not.toHaveProperty(absent);
    expect((await send('GET', `/verifiable-credentials/${closed.id}`, reader)).status).toBe(404);
    const { body: list } = await send('GET', `/verifiable-credentials?account=${holder}`, reader);
    expect((list as { items: { id: string }[] }).items.map(({ id }) => id)).toEqual([open.id]);
  });

  it('database: holds neither the credential nor a claim in clear', async () => {
    const { id, credential } = await issue();
    const [row] = await queryDatabase(
      world.gating.databaseUrl,
      `SELECT to_jsonb(c)::text AS text, encode(sealed_claims, 'escape') AS sealed FROM token_gating.verifiable_credentials AS c WHERE id = '${id}'`,
    );
    const { text, sealed } = row as { text: string; sealed: string };
    for (const secret of [credential.slice(0, 40), world.token.address]) {
      expect(text).not.toContain(secret);
      expect(sealed).not.toContain(secret);
    }
  });
});

describe('credentials that this issuer did not issue like this', () => {
  let database: Database;
  let keyRing: CredentialKeyRing;
  let now: number;

  beforeAll(async () => {
    database = openDatabase();
    await database.connect();
    const store = createCredentialKeyStore(database, { CALLBACK_KEY_SECRET: SECRET, PUBLIC_URL });
    // The time is after the app has created the key.
    now = Date.now();
    keyRing = new CredentialKeyRing(store, silent, () => now);
    await keyRing.refresh();
  });

  afterAll(async () => {
    await database.close();
  });

  /** What a credential would be if the issuer had signed these claims with its key. */
  async function forge(claims: object, typ = 'dc+sd-jwt'): Promise<string> {
    const { credential } = await issue();
    const payload = { ...decodeJwt(credential.split('~', 1)[0] ?? ''), ...claims };
    const { kid, privateKey } = keyRing.getSigningKey();
    const header = { alg: 'ES256', typ, kid };
    return `${await new SignJWT(payload).setProtectedHeader(header).sign(privateKey)}~`;
  }
  const inList = (uri: string, idx: number) => ({ status: { status_list: { idx, uri } } });

  it('verifyCredential: the same claims under the same key are valid', async () => {
    expect(await check(await forge({}))).toMatchObject({ valid: true, status: 'valid' });
  });

  it.each<[string, object, string?]>([
    ['the status list of another issuer', inList('https://issuer.example/credential-status-lists/4', 1)],
    ['a status list of ours under another address', inList(`${PUBLIC_URL}/credential-status-lists/4?x`, 1)],
    ['an entry of our list that nobody was issued', inList(`${PUBLIC_URL}/credential-status-lists/3`, 8)],
    ['an entry beyond the list', inList(`${PUBLIC_URL}/credential-status-lists/3`, 2 ** 40)],
    ['another issuer', { iss: 'https://issuer.example' }],
    ['another type', { vct: `${PUBLIC_URL}/credential-types/nothing` }],
    ['no key of a holder', { cnf: undefined }],
    ['the typ of a status list', {}, 'statuslist+jwt'],
  ])('verifyCredential: is not valid with %s, although our key signed it', async (_, claims, typ) => {
    expect(await check(await forge(claims, typ))).toEqual({
      valid: false,
      holder: 'unproven',
      reason: 'credential_invalid',
    });
  });

  it('verifyCredential: an expired credential is outdated, and not valid', async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    const expired = await forge({ iat: seconds - 120, exp: seconds - 60 });
    expect(await check(expired)).toMatchObject({ valid: false, status: 'outdated', reason: 'expired' });
  });

  it('CredentialKeyRing: a key that was replaced verifies until a day after its last credential has expired', async () => {
    const { kid } = keyRing.getSigningKey();
    const begin = now;
    const at = async (days: number) => {
      now = begin + days * DAY_MS;
      await keyRing.refresh();
      return { signs: keyRing.getSigningKey().kid === kid, verifies: keyRing.find(kid) !== undefined };
    };
    // The key signs for 90 days and the overlap of an hour, and its last credential lives for 30 days.
    expect(await at(89)).toEqual({ signs: true, verifies: true });
    expect(await at(92)).toEqual({ signs: false, verifies: true });
    expect(await at(120)).toEqual({ signs: false, verifies: true });
    await at(123);
    expect(await at(124)).toEqual({ signs: false, verifies: false });
  });
});

describe('status lists that have outlived their credentials', () => {
  it('CredentialsSweeper: deletes a list that no valid credential can be in, and keeps the others', async () => {
    const statusOf = async (list: number) =>
      (await fetchAsGateway(world.gating.app.url, `/credential-status-lists/${list}`)).status;
    const sql = 'SELECT id FROM token_gating.credential_status_lists WHERE id = 1';
    await until('the first list is deleted', async () => {
      const rows = await queryDatabase(world.gating.databaseUrl, sql);
      return rows.length === 0;
    });
    expect(await Promise.all([1, 2, 3].map(statusOf))).toEqual([404, 200, 200]);
  });
});

describe('status lists of a period', () => {
  const BEGIN = Date.now() + DAY_MS;
  const period = (number: number) => new Date(BEGIN + number * STATUS_LIST_PERIOD_SECONDS * 1_000);
  let database: Database;

  beforeAll(async () => {
    database = openDatabase();
    await database.connect();
  });

  afterAll(async () => {
    await database.close();
  });

  const publish = (list: number, number: number) => findRevokedEntries(database, list, period(number));
  const REVOKE = `
    UPDATE token_gating.credential_status_entries SET revoked_at = clock_timestamp() WHERE list_id = $1 AND entry = $2`;

  /** A full list, so that nothing is issued into it, with an entry that was revoked and another one. */
  async function createList(): Promise<number> {
    const sql = 'INSERT INTO token_gating.credential_status_lists (used) VALUES (65536) RETURNING id';
    const [{ id }] = (await query(sql)) as [{ id: number }];
    await query(
      'INSERT INTO token_gating.credential_status_entries (list_id, entry, revoked_at) VALUES ($1, 1, now()), ($1, 2, NULL)',
      [id],
    );
    return id;
  }

  it('findRevokedEntries: lists a revocation that commits late in the next period, and does not change a published one', async () => {
    const list = await createList();
    await database.transaction(async (manager) => {
      await manager.query(REVOKE, [list, 2]);
      expect(await publish(list, 0)).toEqual([1]);
    });
    // Another replica, whose first request comes after the commit.
    expect(await publish(list, 0)).toEqual([1]);
    expect(await publish(list, 1)).toEqual([1, 2]);
    // A replica whose clock is behind.
    expect(await publish(list, 0)).toEqual([1]);
  });

  it('findRevokedEntries: replicas that publish a period at the same time publish the same', async () => {
    const list = await createList();
    const [lists] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => publish(list, 0))),
      query(REVOKE, [list, 2]),
    ]);
    expect(new Set(lists.map(String)).size).toBe(1);
    expect(await publish(list, 1)).toEqual([1, 2]);
  });
});

describe('revocation by events', () => {
  const expectRevoked = (credential: string) =>
    until('the credential is revoked', async () => (await check(credential)).status === 'revoked');

  it('wallet.unlinked: revokes the credentials of this user about this wallet, and those of no other user', async () => {
    const wallet = await world.wallet(1n);
    for (const user of ['user_leaving', 'user_staying']) world.book.set(user, eoa(wallet));
    const [ended, kept] = [await issue({}, 'user_leaving'), await issue({}, 'user_staying')];
    const event = {
      ...{ id: randomUUID(), type: 'wallet.unlinked', userId: 'user_leaving' },
      ...{ accountId: `eip155:1:${wallet}`, at: new Date().toISOString() },
    };
    await world.queue('wallet-events').add('', { version: 1, batchId: randomUUID(), events: [event] });
    await expectRevoked(ended.credential);
    expect((await check(kept.credential)).status).toBe('valid');
  });

  it('user.erased: revokes all credentials of the user', async () => {
    world.book.set('user_erased', eoa(await world.wallet(1n)));
    const { credential } = await issue({}, 'user_erased');
    const event = {
      id: randomUUID(),
      type: 'user.erased',
      userId: 'user_erased',
      at: new Date().toISOString(),
    };
    await world.queue('user-events').add('', { version: 1, batchId: randomUUID(), events: [event] });
    await expectRevoked(credential);
  });

  it('user.erased: a late event ends no credential and no asset claim that the user got after coming back', async () => {
    const user = await createHolder('user_returned');
    const claim = async () => {
      const body = JSON.stringify({ assets: [erc20()] });
      const as = asUser(user, 'user:wallet:read');
      expect((await world.gating.request('POST', '/asset-verification', body, {}, as)).status).toBe(200);
    };
    await claim();
    const ended = await issue({}, user);
    for (const table of ['verifiable_credentials', 'asset_claims'])
      await query(
        `UPDATE token_gating.${table} SET created_at = created_at - interval '1 hour' WHERE user_id = $1`,
        [user],
      );
    await claim();
    const kept = await issue({}, user);
    const at = new Date(Date.now() - 2 * MINUTE_MS).toISOString();
    const event = { id: randomUUID(), type: 'user.erased', userId: user, at };
    await world.queue('user-events').add('', { version: 1, batchId: randomUUID(), events: [event] });
    await expectRevoked(ended.credential);
    expect((await check(kept.credential)).status).toBe('valid');
    const claims = `
      SELECT created_at > now() - interval '30 minutes' AS "isNew" FROM token_gating.asset_claims WHERE user_id = $1`;
    await until('the earlier claim is deleted', async () => (await query(claims, [user])).length < 2);
    expect(await query(claims, [user])).toEqual([{ isNew: true }]);
  });
});

const isSameSignature = (a: string, b: string): boolean => {
  const [textA, textB] = [a, b].map((jwt) => jwt.split('.').slice(0, 2).join('.'));
  const [signatureA, signatureB] = [a, b].map((jwt) =>
    Buffer.from(jwt.split('.')[2] ?? '', 'base64url').toString('hex'),
  );
  return textA === textB && signatureA === signatureB;
};

async function fetchAsGateway(origin: string, path: string): Promise<Response> {
  const issuer = new PrincipalIssuer(world.gating.signingKey('gateway'));
  const token = await issuer.issueToken(anonymous, 'token-gating', operationOf('GET', path));
  return fetch(origin + path, { headers: { [PRINCIPAL_HEADER]: token } });
}
