import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isNonceFor, type Principal, userIdOf } from '@app/auth';
import { parseSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import { tokenKeys } from '@app/dto';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
const PUBLIC_URL = 'http://localhost:3000';
const NOBODY = '0x0000000000000000000000000000000000000000';

describe('sign-in with Ethereum', () => {
  let world: SignInWorld;
  let shop: Principal;
  const wallet = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    world = await SignInWorld.start();
    shop = await world.client([ORIGIN, 'http://localhost:5173'], ['token-gating', 'user:wallet:read']);
  });

  afterAll(async () => {
    await world.stop();
  });

  const ask = async (more: object = {}) => {
    const { status, body } = await world.challenge(shop, { uri: `${ORIGIN}/login`, ...more });
    expect(status).toBe(200);
    return body;
  };

  const messageOf = (text: string): SignInMessage => {
    const parsed = parseSignInMessage(text);
    if (!parsed.ok) throw new Error(`${parsed.problem.field} ${parsed.problem.reason}`);
    return parsed.message;
  };

  const clientId = () => (shop.kind === 'caller' ? (shop.client?.id ?? '') : '');

  describe('the challenge', () => {
    it('is a message of EIP-4361 for the origin that asked, and gives back the state', async () => {
      const before = Date.now();
      const { message, state, requestId } = await ask({
        state: 'a b/ü',
        accountId: `eip155:137:${wallet.address}`,
      });
      expect(state).toBe('a b/ü');
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
      const said = messageOf(message);
      expect(said).toMatchObject({
        domain: 'shop.example',
        address: wallet.address,
        uri: `${ORIGIN}/login`,
        chainId: 137,
        resources: ['urn:scope:$public', 'urn:scope:user:read'],
      });
      // What wallets show is what we meant: an independent reader sees the same.
      const { domain, nonce, chainId } = parseSiweMessage(message);
      expect({ domain, nonce, chainId }).toEqual({ domain: said.domain, nonce: said.nonce, chainId: 137 });
      const [issued, expires] = [said.issuedAt, said.expirationTime ?? ''].map((text) => Date.parse(text));
      expect(issued).toBeGreaterThanOrEqual(before);
      expect((expires ?? 0) - (issued ?? 0)).toBe(600_000);
    });

    it('has a nonce that is bound to purpose, client application, address and expiry', async () => {
      const { message } = await ask({ accountId: wallet.address });
      const { nonce, address, expirationTime = '' } = messageOf(message);
      const answer = await world.identity.get('/internal/token-keys', GATEWAY_ITSELF);
      const keys = tokenKeys.parse(await answer.json()).nonce;
      const keyOf = (kid: string) => {
        const key = keys.find((one) => one.kid === kid);
        return key && Buffer.from(key.k, 'base64url');
      };
      const binding = { purpose: 'login', clientId: clientId(), address, expirationTime } as const;
      expect(isNonceFor(binding, nonce, keyOf)).toBe(true);
      for (const other of [
        { purpose: 'credential' as const },
        { clientId: 'client_2' },
        { address: NOBODY },
        { expirationTime: new Date().toISOString() },
      ])
        expect(isNonceFor({ ...binding, ...other }, nonce, keyOf)).toBe(false);
    });

    it('needs no account: it names nobody, and anybody may sign', async () => {
      expect(messageOf((await ask()).message)).toMatchObject({ address: NOBODY, chainId: 1 });
    });

    it('has the host with its port, as wallets compare it', async () => {
      const { message } = await ask({ uri: 'http://localhost:5173/' });
      expect(messageOf(message).domain).toBe('localhost:5173');
      const usual = await ask({ uri: 'https://Shop.example:443/a?b=c#d' });
      expect(messageOf(usual.message).domain).toBe('shop.example');
    });

    it.each([
      ['another origin', 'https://evil.example/'],
      ['another port', 'https://shop.example:8443/'],
      ['another scheme', 'http://shop.example/'],
      ['a longer host', 'https://shop.example.evil.example/'],
      ['a subdomain', 'https://a.shop.example/'],
      ['the host as user', 'https://shop.example@evil.example/'],
    ])('is not made for %s', async (_, uri) => {
      const { status, error } = await world.challenge(shop, { uri });
      expect([status, error?.details.code]).toEqual([400, 'unregistered_origin']);
    });

    it.each([
      ['a user', 'https://user@shop.example/'],
      ['a user without a name', 'https://@shop.example/'],
      ['a backslash', 'https://shop.example\\@evil.example/'],
      ['no slashes', 'https:shop.example'],
      ['a line break', 'https://shop.example/\nURI: https://evil.example'],
      ['a tab in the host', 'https://sh\top.example/'],
      ['a space', 'https://shop.example/a b'],
      ['letters beyond ASCII', 'https://shop.example/ü'],
      ['a full-width host', 'https://ｓhop.example/'],
      ['a percent sign for nothing', 'https://shop.example/%zz'],
      ['no address at all', 'shop.example'],
      ['another kind of address', 'javascript:alert(1)'],
    ])('is not made for an address with %s', async (_, uri) => {
      const { status, error } = await world.challenge(shop, { uri });
      expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['uri']]);
    });

    it.each(
      [
        'nobody',
        NOBODY,
        '0x1234',
        wallet.address.slice(2),
        wallet.address.replace(/[a-f]/, (letter) => letter.toUpperCase()).replace(/$/, ''),
        `eip155:0:${wallet.address}`,
        `eip155:-1:${wallet.address}`,
        `eip155:1e3:${wallet.address}`,
        `eip155:0x1:${wallet.address}`,
        `eip155:9007199254740993:${wallet.address}`,
        `cosmos:1:${wallet.address}`,
        `solana:nowhere:4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS`,
        userIdOf('ethereum', wallet.address.toLowerCase()),
      ].filter((text) => text !== wallet.address),
    )('is not made for the account %s', async (accountId) => {
      const { status, error } = await world.challenge(shop, { uri: ORIGIN, accountId });
      expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['accountId']]);
    });

    it('names the scopes that the client application may have', async () => {
      const { message } = await ask({ resources: ['urn:scope:user:wallet:read', 'urn:scope:token-gating'] });
      expect(messageOf(message).resources).toEqual(['urn:scope:user:wallet:read', 'urn:scope:token-gating']);
      const refused = await world.challenge(shop, { uri: ORIGIN, resources: ['urn:scope:accountkit'] });
      expect([refused.status, refused.error?.details.code]).toEqual([403, 'scope_not_allowed']);
      for (const resource of ['urn:scope:all', 'https://shop.example/', 'urn:client:client_1', '']) {
        const { status, error } = await world.challenge(shop, {
          uri: ORIGIN,
          resources: ['urn:scope:user:read', resource],
        });
        expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['resources.1']]);
      }
    });

    it('is for client applications that there are', async () => {
      const gone = await world.client([ORIGIN]);
      if (gone.kind === 'caller') await world.services.clients.remove(gone.client?.id ?? '');
      expect((await world.challenge(gone, { uri: ORIGIN })).status).toBe(401);
      const user: Principal = { kind: 'caller', user: { id: 'user_1' }, scopes: [] };
      expect((await world.challenge(user, { uri: ORIGIN })).status).toBe(401);
      const nowhere = await world.client([]);
      expect((await world.challenge(nowhere, { uri: ORIGIN })).status).toBe(400);
    });
  });

  describe('the id token', () => {
    const sign = async (accountId?: string) => {
      const { requestId, message } = await ask(accountId === undefined ? {} : { accountId });
      return { requestId, message, signature: await wallet.signMessage({ message }) };
    };

    it('is an AE token for the wallet that signed', async () => {
      const { requestId, signature } = await sign(`eip155:10:${wallet.address.toLowerCase()}`);
      const { status, body } = await world.login(shop, { requestId, signatureType: 'eip191', signature });
      expect(status).toBe(200);
      const { jti, iat, exp, ...claims } = await world.claimsOf(body.idToken);
      expect(claims).toEqual({
        iss: PUBLIC_URL,
        aud: PUBLIC_URL,
        sub: userIdOf('ethereum', wallet.address.toLowerCase()),
        client_id: clientId(),
        scope: '$public user:read',
        wallet: `eip155:10:${wallet.address}`,
      });
      expect(exp - iat).toBe(3_600);
      expect(jti).toMatch(/^[0-9A-Za-z]{22}$/);
    });

    it('is of whoever signed, where the challenge named nobody', async () => {
      const { requestId, signature } = await sign();
      const { body } = await world.login(shop, { requestId, signature });
      expect((await world.claimsOf(body.idToken)).wallet).toBe(`eip155:1:${wallet.address}`);
      const named = await sign();
      const { status } = await world.login(shop, {
        requestId: named.requestId,
        signature: named.signature,
        accountId: wallet.address,
      });
      expect(status).toBe(200);
    });

    it('has what the user read and signed, and no more', async () => {
      const { requestId, message } = await ask({ resources: ['urn:scope:user:wallet:read'] });
      const signature = await wallet.signMessage({ message });
      const { body } = await world.login(shop, { requestId, signature });
      expect((await world.claimsOf(body.idToken)).scope).toBe('user:wallet:read');
    });

    it('is given once, to one of ten at once', async () => {
      for (let round = 0; round < 3; round += 1) {
        const { requestId, signature } = await sign();
        const attempts = Array.from({ length: 10 }, () => world.login(shop, { requestId, signature }));
        const statuses = (await Promise.all(attempts)).map(({ status }) => status).sort();
        expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
      }
    });

    const stranger = privateKeyToAccount(generatePrivateKey());
    const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
    const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

    /** The other signature that anybody can make of one. */
    const twin = (signature: string): string => {
      const s = BigInt(`0x${signature.slice(66, 130)}`);
      expect(s <= HALF).toBe(true);
      const v = signature.endsWith('1b') ? '1c' : '1b';
      return signature.slice(0, 66) + (ORDER - s).toString(16).padStart(64, '0') + v;
    };

    it.each<[string, (good: { message: string; signature: string }) => string | Promise<string>]>([
      ['somebody else signed', ({ message }) => stranger.signMessage({ message })],
      ['another text was signed', () => wallet.signMessage({ message: 'hello' })],
      ['it is the high-s twin', ({ signature }) => twin(signature)],
      ['it has 64 bytes', ({ signature }) => signature.slice(0, -2)],
      ['it has 66 bytes', ({ signature }) => `${signature}00`],
      ['it has another v', ({ signature }) => `${signature.slice(0, -2)}1d`],
      ['it has no 0x', ({ signature }) => signature.slice(2)],
      ['it is nothing', () => '0x'],
      ['it is no hex', () => 'signed, me'],
      ['it is all zeros', () => `0x${'00'.repeat(65)}`],
    ])('is refused, and the challenge used up, when %s', async (_, bad) => {
      const { requestId, message, signature } = await sign(wallet.address);
      const wrong = await world.login(shop, { requestId, signature: await bad({ message, signature }) });
      // A chain that is not the wallet's to be asked, or nobody there: never a pass.
      expect([401, 503]).toContain(wrong.status);
      expect(wrong.body.idToken).toBeUndefined();
      const { status, error } = await world.login(shop, { requestId, signature });
      expect([status, error?.details.code]).toEqual([401, 'login_failed']);
    });

    it('is refused for a challenge that is unknown, another application’s, or expired', async () => {
      const other = await world.client([ORIGIN]);
      const { requestId, signature } = await sign();
      expect((await world.login(shop, { requestId: 'nothing', signature })).status).toBe(401);
      expect((await world.login(other, { requestId, signature })).status).toBe(401);
      // Somebody else's attempt uses nothing up.
      expect((await world.login(shop, { requestId, signature })).status).toBe(200);
      const late = await sign();
      await queryDatabase(world.database.url, 'UPDATE identity.sign_in_challenges SET expires_at = now()');
      const { status } = await world.login(shop, { requestId: late.requestId, signature: late.signature });
      expect(status).toBe(401);
    });

    it('is refused when the answer names somebody else, another chain or another kind of wallet', async () => {
      for (const answer of [
        { accountId: stranger.address },
        { accountId: `eip155:10:${wallet.address}` },
        { accountId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS' },
        { signatureType: 'ed25519' },
      ]) {
        const { requestId, signature } = await sign(`eip155:1:${wallet.address}`);
        expect((await world.login(shop, { requestId, signature, ...answer })).status).toBe(401);
        expect((await world.login(shop, { requestId, signature })).status).toBe(401);
      }
    });

    it('leaves the challenge be when the request is malformed', async () => {
      const { requestId, signature } = await sign();
      for (const more of [{ accountId: 'nobody' }, { signatureType: 'rsa' }, { extra: 1 }])
        expect((await world.login(shop, { requestId, signature, ...more })).status).toBe(400);
      expect((await world.login(shop, { requestId, signature })).status).toBe(200);
    });

    it('leaves nothing to be found in tables or logs', async () => {
      const { requestId, signature } = await sign();
      const { body } = await world.login(shop, { requestId, signature });
      const { jti } = await world.claimsOf(body.idToken);
      const lines = [signature, body.idToken, jti, requestId].flatMap((text) =>
        world.app.logLines.filter((line) => line.includes(text)),
      );
      expect(lines).toEqual([]);
      expect(
        await queryDatabase(world.database.url, 'SELECT 1 FROM identity.sign_in_challenges WHERE id = $1', [
          requestId,
        ]),
      ).toEqual([]);
    });

    it('forgets challenges that nobody answered', async () => {
      await queryDatabase(
        world.database.url,
        `INSERT INTO identity.sign_in_challenges (id, client_id, namespace, message, expires_at)
         SELECT 'old_' || n, 'client_1', 'eip155', '', now() - interval '1 minute' FROM generate_series(1, 15) n`,
      );
      await ask();
      await ask();
      const old = `SELECT id FROM identity.sign_in_challenges WHERE id LIKE 'old_%'`;
      expect(await queryDatabase(world.database.url, old)).toEqual([]);
    });
  });
});
