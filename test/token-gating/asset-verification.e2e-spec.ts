import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PrincipalIssuer, type Principal } from '@app/auth';
import type { AssetClaimsResponse, TokenGatingKeySet } from '@app/dto';
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from 'jose';
import type { Address } from 'viem';
import { databasePool } from '../support/database-pool.js';
import type { DeployedContract } from '../support/local-chain.js';
import { operationOf } from '../support/operation-of.js';
import { until } from '../support/until.js';
import type { Answer } from './gating-app.js';
import { asUser, RolesWorld } from './roles-world.js';
import { contractOn, eoa } from './wallet-book.js';

const PUBLIC_URL = 'http://localhost:3000';
const AUDIENCE = `${PUBLIC_URL}/asset-verification`;
const HOSTILE = '<script>alert(1)</script><svg onload=alert(1)>';
const user = asUser('user_owner');

interface Token {
  token: string;
  slug: string;
  url: string;
}

let world: RolesWorld;
let nfts: DeployedContract;
let holder: string;
let other: string;

beforeAll(async () => {
  world = await RolesWorld.start();
  nfts = await world.gated.chain.deploy('DemoERC721', ['Demo', 'NFT']);
  holder = await world.wallet(1n);
  other = await world.wallet(1n);
  await world.gated.chain.mint(nfts, holder as Address, 1n);
  linkWallets();
});

afterAll(async () => {
  await world.stop();
});

const linkWallets = () => {
  world.book.set('user_owner', eoa(holder), eoa('0x00000000000000000000000000000000000000a2'));
};
const erc20 = () => `eip155:${world.chainId}/erc20:${world.token.address}`;
const nft = (id = 1n) => `eip155:${world.chainId}/erc721:${nfts.address}/${id}`;
const code = (answer: Answer) =>
  (answer.body as { error?: { details: { code: string } } }).error?.details.code;

function create(body: object | undefined, format = 'jwt', as: Principal = user): Promise<Answer> {
  const text = body && JSON.stringify(body);
  return world.gating.request('POST', `/asset-verification?format=${format}`, text, {}, as);
}

async function claim(fields: object = {}, format = 'jwt'): Promise<Token> {
  const { status, body } = await create({ assets: [erc20()], ...fields }, format);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as Token;
}

const anonymous: Principal = { kind: 'anonymous' };
const verify = (token: string, headers = {}) =>
  world.gating.request('GET', `/asset-verification/${token}`, undefined, headers, anonymous);

async function askPage(token: string): Promise<{ status: number; headers: Headers; text: string }> {
  const path = `/asset-verification/${token}`;
  const issuer = new PrincipalIssuer(world.gating.signingKey('gateway'));
  const principal = await issuer.issueToken(anonymous, 'token-gating', operationOf('GET', path));
  const response = await fetch(world.gating.app.url + path, {
    headers: { [PRINCIPAL_HEADER]: principal, accept: 'text/html;charset=utf-8,application/xhtml+xml' },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function askAsIdentity<T>(path: string, body?: object): Promise<T> {
  const issuer = new PrincipalIssuer(world.gating.signingKey('identity'));
  const response = await fetch(`${world.gating.app.url}/internal/${path}`, {
    method: body ? 'POST' : 'GET',
    body: body && JSON.stringify(body),
    headers: {
      [PRINCIPAL_HEADER]: await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating'),
      'content-type': 'application/json',
    },
  });
  return (await response.json()) as T;
}

describe('a claim', () => {
  it('verifyClaim: shows what the owner is called now, on the page without markup', async () => {
    const { slug } = await claim();
    world.book.names.set('user_owner', HOSTILE);
    try {
      expect((await verify(slug)).body).toMatchObject({ claim: { name: HOSTILE } });
      const { text } = await askPage(slug);
      expect(text).toContain('<bdi>&lt;script&gt;');
      expect(text).not.toContain('<script>');
    } finally {
      world.book.names.clear();
    }
    expect((await verify(slug)).body).not.toHaveProperty('claim.name');
  });

  it.each(['jwt', 'ae'])('claim: as %s is verified by token and by slug', async (format) => {
    const { token, slug, url } = await claim(
      { account: holder, socialId: 'me', assets: [erc20(), nft()] },
      format,
    );
    expect(url).toBe(`${AUDIENCE}/${slug}`);
    const expected = {
      assets: [
        { asset: erc20(), owner: true },
        { asset: nft(), owner: true },
      ],
      signature: token.slice(token.lastIndexOf('.') + 1),
      claim: {
        userId: 'user_owner',
        socialId: 'me',
        account: `eip155:1:${holder}`,
        assets: [erc20(), nft()],
        createdTime: expect.any(String),
        expiresTime: expect.any(String),
      },
    };
    for (const named of [token, slug]) {
      const { status, headers, body } = await verify(named);
      expect({ status, body }).toEqual({ status: 200, body: expected });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toBe('noindex');
    }
  });

  it('claim: is a JWT that the published keys verify, with nothing of an access token', async () => {
    const { token } = await claim();
    const { claimKeys: keys } = await askAsIdentity<TokenGatingKeySet>('jwks');
    const [key] = keys;
    expect(keys).toHaveLength(1);
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK(key ?? {}), {
      audience: AUDIENCE,
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'asset-claim+jwt', kid: key?.kid });
    expect(key?.kid).toMatch(/^asset-claim-/);
    for (const absent of ['sub', 'scope', 'client_id']) expect(payload).not.toHaveProperty(absent);
    const lifetime = (payload.exp ?? 0) - (payload.iat ?? 0);
    expect(lifetime).toBe(30 * 24 * 3_600);
  });

  it('T93: claim: says who owns the assets now, and reads the chain once for many requests', async () => {
    const [seller, buyer] = [await world.wallet(), await world.wallet()];
    await world.gated.chain.mint(nfts, seller as Address, 50n);
    world.book.set('user_seller', eoa(seller));
    const { body } = await create({ assets: [nft(50n)] }, 'jwt', asUser('user_seller'));
    const { slug } = body as Token;
    const { client } = world.gated.chain;
    await client.impersonateAccount({ address: seller as Address });
    await client.setBalance({ address: seller as Address, value: 10n ** 18n });
    const hash = await client.writeContract({
      ...nfts,
      functionName: 'transferFrom',
      args: [seller, buyer, 50n],
      account: seller as Address,
    });
    await client.waitForTransactionReceipt({ hash });
    expect((await verify(slug)).body).toMatchObject({ assets: [{ asset: nft(50n), owner: false }] });
    const calls = world.gated.node.count('eth_call');
    await Promise.all(Array.from({ length: 20 }, () => verify(slug)));
    expect(world.gated.node.count('eth_call')).toBe(calls);
  });
});

describe('the same 404', () => {
  const unknown = { status: 404, code: 'asset_claim_not_found' };
  const outcome = async (token: string) => {
    const answer = await verify(token);
    return {
      status: answer.status,
      code: code(answer),
      message: JSON.stringify(answer.body).replace(/[\w-]{36}/, ''),
    };
  };

  it('T94: claim that cannot be seen: is the response to altered, forged, expired, foreign and unknown tokens', async () => {
    const { token, slug } = await claim();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const resign = (typ: string, more = {}) =>
      new SignJWT({ ...decodeJwt(token), ...more })
        .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256', typ })
        .sign(privateKey);
    const altered = Buffer.from(JSON.stringify({ ...decodeJwt(token), assets: [nft()] })).toString(
      'base64url',
    );
    const { token: encrypted } = await claim({}, 'ae');
    const tokens = [
      `${header}.${altered}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}AA`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      await resign('asset-claim+jwt'),
      await resign('at+jwt'),
      encrypted.replace(/.{4}$/, 'AAAA'),
      slug.split('').reverse().join(''),
      'garbage',
      '....',
      'a.b.c',
    ];
    const outcomes = await Promise.all(tokens.map(outcome));
    for (const one of outcomes) expect(one).toMatchObject(unknown);
    expect(new Set(outcomes.map(({ message }) => message)).size).toBe(1);
  });

  it('T94: claim that cannot be seen: is the response after the wallet was unlinked, and while it is linked on another chain only', async () => {
    const { token, slug } = await claim();
    expect((await verify(slug)).status).toBe(200);
    world.book.set('user_owner', eoa(other));
    for (const named of [token, slug]) expect(await outcome(named)).toMatchObject(unknown);
    world.book.set('user_owner', contractOn(1, holder));
    expect(await outcome(slug)).toMatchObject(unknown);
    linkWallets();
    expect((await verify(slug)).status).toBe(200);
  });

  it('T94: claim that cannot be seen: is the response after the user revoked it, and others cannot', async () => {
    const { token, slug } = await claim();
    const id = decodeJwt(token).jti;
    const { claims } = await askAsIdentity<AssetClaimsResponse>('asset-claims/list', {
      userId: 'user_owner',
    });
    expect(claims[0]).toMatchObject({ id, account: `eip155:1:${holder}`, assets: [erc20()] });
    expect(await askAsIdentity('asset-claims/revoke', { userId: 'user_other', id })).toEqual({
      isRevoked: false,
    });
    expect((await verify(slug)).status).toBe(200);
    expect(await askAsIdentity('asset-claims/revoke', { userId: 'user_owner', id })).toEqual({
      isRevoked: true,
    });
    for (const named of [token, slug]) expect(await outcome(named)).toMatchObject(unknown);
  });

  it('T94: claim that cannot be seen: is the response after it expired', async () => {
    const { token, slug } = await claim();
    const sql = databasePool(world.gating.databaseUrl);
    await sql.query('UPDATE token_gating.asset_claims SET expires_at = now() WHERE id = $1', [
      decodeJwt(token).jti,
    ]);
    await sql.end();
    for (const named of [token, slug]) expect(await outcome(named)).toMatchObject(unknown);
  });
});

describe('POST /asset-verification', () => {
  it('POST /asset-verification: is refused for accounts of others, and in the name of others', async () => {
    for (const account of [other, `eip155:1:${other}`, 'user_other', 'garbage'])
      expect(await create({ account, assets: [erc20()] })).toMatchObject({ status: 403 });
    expect(code(await create({ account: other, assets: [erc20()] }))).toBe('account_forbidden');
    expect(code(await create({ userId: 'user_other', assets: [erc20()] }))).toBe('user_forbidden');
    const known = { userId: 'user_owner', classifier: 'a', classifierGroup: 'b', assets: [erc20()] };
    expect((await create(known)).status).toBe(200);
    expect(code(await create({ assets: [erc20()] }, 'jwt', asUser('user_without_wallets')))).toBe(
      'wallet_required',
    );
  });

  it('POST /asset-verification: is 409 that names the assets that are not held', async () => {
    const answer = await create({ assets: [erc20(), nft(2n), nft(3n)] });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'held_assets_required', assets: [nft(2n), nft(3n)] } } },
    });
  });

  it('POST /asset-verification: is 409 without assets, when the account holds no watched token', async () => {
    expect(code(await create(undefined))).toBe('held_assets_required');
  });

  it('POST /asset-verification: is 409 beyond the limit of claims, however many are made at the same time', async () => {
    const busy = asUser('user_busy');
    world.book.set('user_busy', eoa(holder));
    expect((await create({ assets: [erc20()] }, 'jwt', busy)).status).toBe(200);
    const sql = databasePool(world.gating.databaseUrl);
    await sql.query(
      `INSERT INTO token_gating.asset_claims
       SELECT (jsonb_populate_record(c, jsonb_build_object('id', 'copy ' || n, 'slug_hash', '\\x' || md5('busy ' || n)))).*
       FROM token_gating.asset_claims c, generate_series(1, 97) n WHERE c.user_id = 'user_busy'`,
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => create({ assets: [erc20()] }, 'jwt', busy)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(new Set(answers.map(code))).toEqual(new Set([undefined, 'asset_claim_limit_exceeded']));
    const { rows } = await sql.query(
      `SELECT count(*)::int AS count FROM token_gating.asset_claims WHERE user_id = 'user_busy'`,
    );
    expect(rows).toEqual([{ count: 100 }]);
    await sql.end();
  });

  it('POST /asset-verification: is 400 for too many assets, a token that would be too long, and links that are not https', async () => {
    const issues = async (body: object, format?: string) => {
      const answer = await create(body, format);
      expect(answer.status).toBe(400);
      return (answer.body as { error: { details: { issues: { path: string }[] } } }).error.details.issues[0]
        ?.path;
    };
    expect(await issues({ assets: Array.from({ length: 51 }, erc20) })).toBe('assets');
    expect(await issues({ assets: [] })).toBe('assets');
    expect(await issues({ assets: [erc20(), 'x'] })).toBe('assets.1');
    const mediaUrl = `https://example.com/${'a'.repeat(2_000)}`;
    const long = { mediaUrl, openseaUrl: mediaUrl, assets: Array.from({ length: 20 }, erc20) };
    expect(await issues(long, 'ae')).toBe('assets');
    for (const url of ['javascript:alert(1)', 'http://example.com', 'data:text/html,x', 'ipfs://x'])
      expect(await issues({ assets: [erc20()], mediaUrl: url })).toBe('mediaUrl');
  });
});

describe('the page', () => {
  it('T95: page of an asset claim: shows the texts of the owner escaped, loads nothing, and runs nothing', async () => {
    const openseaUrl = 'https://example.com/"><script>alert(1)</script>';
    const { slug } = await claim({ socialId: HOSTILE, openseaUrl });
    const { status, headers, text } = await askPage(slug);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('Valid now');
    expect(text).not.toMatch(/<script|<svg|<img|<iframe|onload=alert\(1\)>/i);
    expect(text).toContain('&lt;script&gt;');
  });

  it('page of an asset claim: is a 404 page for an unknown claim', async () => {
    const { status, headers, text } = await askPage('AAAAAAAAAAAAAAAAAAAAAA');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('text/html');
    expect(text).toContain('not valid');
  });

  it('verifyOwnership: the page names amount, token, chain, issuer and times in words, and what holds now', async () => {
    const seller = await world.wallet(1_234_567_890n * 10n ** 12n);
    await world.gated.chain.mint(nfts, seller as Address, 777n);
    world.book.set('user_owner', eoa(seller), eoa(holder));
    const { slug } = await claim({ assets: [erc20(), nft(777n)], account: seller });
    const { text } = await askPage(slug);
    const shown = text.replaceAll(/(?:<[^>]+>|\s)+/g, ' ');
    for (const words of ['Valid now', '1,234.56789 DEMO', 'NFT #777', 'localhost:3000'])
      expect(shown).toContain(words);
    expect(shown).toMatch(/Claimed since \d{1,2} \w+ \d{4} at \d\d:\d\d UTC/);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/);
    linkWallets();
  });

  it('verifyOwnership: the page is a 503 that says what to do while a node is away', async () => {
    const { slug } = await claim();
    const repair = world.breakNode();
    const { status, headers, text } = await askPage(slug);
    repair();
    expect([status, headers.get('content-type')]).toEqual([503, expect.stringContaining('text/html')]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(text).toContain('load this page again');
  });
});

it('asset claim: writes no token or slug to the log', async () => {
  const { token, slug } = await claim();
  for (const named of [token, slug]) await verify(named);
  const { logLines } = world.gating.app;
  await until('the requests are logged', () => {
    const line = logLines.at(-1) ?? '';
    return Promise.resolve(line.includes('verifyOwnership') || line.includes('asset-verification'));
  });
  for (const secret of [token, slug]) expect(logLines.join('\n')).not.toContain(secret);
});

it('asset claim: answers 503 while a node is down', async () => {
  const { slug } = await claim();
  world.breakNode();
  expect(code(await create({ assets: [erc20()] }))).toBe('assets_unavailable');
  expect(code(await verify(slug))).toBe('assets_unavailable');
  expect(await verify(slug, { Prefer: 'handling=lenient' })).toMatchObject({
    status: 200,
    body: { assets: [], errors: [{ asset: erc20(), retryable: true }] },
  });
});
