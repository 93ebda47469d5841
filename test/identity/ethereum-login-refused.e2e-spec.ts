import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';

describe('an invalid sign-in with Ethereum', () => {
  let world: SignInWorld;
  let shop: Principal;
  const wallet = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    world = await SignInWorld.lease();
    shop = await world.client([ORIGIN, 'http://localhost:5173'], ['token-gating', 'user:wallet:read']);
  });

  const ask = async (more: object = {}) => {
    const { status, body } = await world.challenge(shop, { uri: `${ORIGIN}/login`, ...more });
    expect(status).toBe(200);
    return body;
  };

  const sign = async (accountId?: string) => {
    const { requestId, message } = await ask(accountId === undefined ? {} : { accountId });
    return { requestId, message, signature: await wallet.signMessage({ message }) };
  };

  const stranger = privateKeyToAccount(generatePrivateKey());
  const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

  /** The malleated form of a signature, with the high s value. */
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
  ])('invalid sign-in with Ethereum: is refused and consumes the challenge when %s', async (_, bad) => {
    const { requestId, message, signature } = await sign(wallet.address);
    const wrong = await world.login(shop, { requestId, signature: await bad({ message, signature }) });
    // Without a contract or nodes on the chain, the login must never succeed.
    expect([401, 503]).toContain(wrong.status);
    expect(wrong.body.idToken).toBeUndefined();
    const { status, error } = await world.login(shop, { requestId, signature });
    expect([status, error?.details.code]).toEqual([401, 'login_invalid']);
  });

  it('invalid sign-in with Ethereum: is refused for an unknown or expired challenge, or one of another application', async () => {
    const other = await world.client([ORIGIN]);
    const { requestId, signature } = await sign();
    expect((await world.login(shop, { requestId: 'nothing', signature })).status).toBe(401);
    expect((await world.login(other, { requestId, signature })).status).toBe(401);
    // An attempt of another application does not consume the challenge.
    expect((await world.login(shop, { requestId, signature })).status).toBe(200);
    const late = await sign();
    await queryDatabase(
      world.database.url,
      'UPDATE identity.sign_in_challenges SET expires_at = now() WHERE id = $1',
      [late.requestId],
    );
    const { status, error } = await world.login(shop, {
      requestId: late.requestId,
      signature: late.signature,
    });
    expect([status, error?.details.code, error?.message]).toEqual([
      401,
      'login_invalid',
      expect.stringContaining('has expired'),
    ]);
  });

  it('invalid sign-in with Ethereum: is refused if the request names another account, chain or kind of wallet', async () => {
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

  it('invalid sign-in with Ethereum: does not consume the challenge if the request is malformed', async () => {
    const { requestId, signature } = await sign();
    for (const more of [{ accountId: 'nobody' }, { signatureType: 'rsa' }, { extra: 1 }])
      expect((await world.login(shop, { requestId, signature, ...more })).status).toBe(400);
    expect((await world.login(shop, { requestId, signature })).status).toBe(200);
  });
});
