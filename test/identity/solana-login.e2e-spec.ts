import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import { parseSolanaSignInMessage } from '@app/chain/sign-in';
import base58 from 'bs58';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { SignInWorld } from './sign-in-world.js';
import { solanaKey } from './solana-key.js';

const ORIGIN = 'https://shop.example';
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

describe('sign-in with Solana', () => {
  let world: SignInWorld;
  let shop: Principal;
  const wallet = solanaKey();

  beforeAll(async () => {
    world = await SignInWorld.lease();
    shop = await world.client([ORIGIN]);
  });

  const ask = async (accountId: string) => {
    const { status, body } = await world.challenge(shop, { uri: ORIGIN, accountId });
    expect(status).toBe(200);
    return body;
  };
  const answer = (requestId: string, signature: string, more: object = {}) =>
    world.login(shop, { requestId, signature, signatureType: 'ed25519', ...more });

  it.each([
    ['a plain address', '', 'mainnet', MAINNET],
    ['the main chain', `solana:${MAINNET}:`, 'mainnet', MAINNET],
    ['the chain of developers', `solana:${DEVNET}:`, 'devnet', DEVNET],
  ])('Solana login: works with %s', async (_, before, name, reference) => {
    const { requestId, message } = await ask(before + wallet.address);
    expect(parseSolanaSignInMessage(message)).toMatchObject({
      ok: true,
      message: { domain: 'shop.example', address: wallet.address, chainId: name },
    });
    const { status, body } = await answer(requestId, base58.encode(wallet.signed(message)));
    expect(status).toBe(200);
    expect(await world.claimsOf(body.idToken)).toMatchObject({
      sub: deriveUserId('solana', wallet.address),
      wallet: `solana:${reference}:${wallet.address}`,
    });
  });

  it.each([
    ['mainnet', MAINNET],
    ['devnet', DEVNET],
  ])(
    'POST /ethereum-login/id-tokens: takes a plain address for the account that has signed on %s',
    async (_, reference) => {
      const accountId = `solana:${reference}:${wallet.address}`;
      const { requestId, message } = await ask(accountId);
      const { status, body } = await answer(requestId, base58.encode(wallet.signed(message)), {
        accountId: wallet.address,
      });
      expect(status).toBe(200);
      expect((await world.claimsOf(body.idToken)).wallet).toBe(accountId);
    },
  );

  it('Solana login: accepts signatures as base58, base64 and hex', async () => {
    for (const encoding of ['base64', 'hex'] as const) {
      const { requestId, message } = await ask(wallet.address);
      const text = wallet.signed(message).toString(encoding);
      expect((await answer(requestId, encoding === 'hex' ? `0x${text}` : text)).status).toBe(200);
    }
  });

  it('T251: signing in with a Ledger: accepts the message in the off-chain envelope, and only the issued one', async () => {
    for (const sign of [
      (message: string) => base58.encode(wallet.signedByLedger(message)),
      (message: string) => wallet.signedWithDomain(message, Buffer.alloc(32, 7)).toString('base64'),
    ]) {
      const { requestId, message } = await ask(wallet.address);
      const { status, body } = await answer(requestId, sign(message));
      expect(status).toBe(200);
      expect((await world.claimsOf(body.idToken)).sub).toBe(deriveUserId('solana', wallet.address));
      const other = await ask(wallet.address);
      expect((await answer(other.requestId, sign(message))).status).toBe(401);
    }
  });

  it('Solana login: is refused and consumes the challenge for another wallet, text, type or account', async () => {
    const stranger = solanaKey();
    const attempts: ((message: string) => [string, object])[] = [
      (message) => [base58.encode(stranger.signed(message)), {}],
      (message) => [base58.encode(wallet.signed(`${message} `)), {}],
      (message) => [base58.encode(wallet.signed(message)), { signatureType: 'eip191' }],
      (message) => [base58.encode(wallet.signed(message)), { accountId: stranger.address }],
      (message) => [
        base58.encode(wallet.signed(message)),
        { accountId: `solana:${DEVNET}:${wallet.address}` },
      ],
      (message) => [base58.encode(wallet.signed(message).subarray(1)), {}],
      () => ['', {}],
    ];
    for (const attempt of attempts) {
      const { requestId, message } = await ask(`solana:${MAINNET}:${wallet.address}`);
      const [signature, more] = attempt(message);
      expect((await answer(requestId, signature === '' ? 'x' : signature, more)).status).toBe(401);
      expect((await answer(requestId, base58.encode(wallet.signed(message)))).status).toBe(401);
    }
  });

  it('Solana login: succeeds for only one of ten concurrent requests', async () => {
    const { requestId, message } = await ask(wallet.address);
    const signature = base58.encode(wallet.signed(message));
    const statuses = await Promise.all(Array.from({ length: 10 }, () => answer(requestId, signature)));
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('Solana login: refuses challenges for Ethereum', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { requestId, message } = await ask(account.address);
    const signature = await account.signMessage({ message });
    expect((await answer(requestId, signature)).status).toBe(401);
  });
});
