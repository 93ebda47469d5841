import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseSignInMessage, parseSolanaSignInMessage } from '@app/chain/sign-in';
import { MAX_WALLETS_PER_USER } from '@app/dto';
import base58 from 'bs58';
import type { Hex, PrivateKeyAccount } from 'viem';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { LinkingWorld, newKey, type User } from './linking-world.js';
import { SignInWorld } from './sign-in-world.js';
import { solanaKey } from './solana-key.js';
import { z } from 'zod';

const identifier = z.string().min(1).max(256);
/** The jobs of the release before `wallet.shared` and the community of an event. */
const formerWalletEvents = z.strictObject({
  version: z.literal(1),
  batchId: z.uuid(),
  events: z.array(
    z.strictObject({
      id: z.uuid(),
      at: z.iso.datetime(),
      type: z.enum(['wallet.linked', 'wallet.unlinked']),
      userId: identifier,
      accountId: identifier,
    }),
  ),
});

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The malleable variant of a signature, with s above half the curve order. */
function toMalleableVariant(signature: Hex): Hex {
  const s = CURVE_ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return `${signature.slice(0, 66) as Hex}${s.toString(16).padStart(64, '0')}${v}`;
}

describe('linking a wallet', () => {
  let world: LinkingWorld;

  beforeAll(async () => {
    world = await LinkingWorld.of(await SignInWorld.lease());
  });

  const codeOf = async (user: User, body: object) => {
    const { status, error } = await world.link(user, body);
    return [status, error?.details.code, error?.details.issues?.map(({ path }) => path)];
  };
  const UNKNOWN = [400, 'challenge_invalid', ['message']];
  const WRONG = [400, 'signature_invalid', ['signedMessage']];

  it('linking a wallet: uses a message that states its purpose and is not valid as a login', async () => {
    const user = world.newUser();
    const message = await world.message(user);
    const [first, ...others] = message.split('\n');
    expect(first).toBe('localhost:3000 asks you to link a wallet to your account.');
    expect(others).toContain(`Account: ${user.user.id}`);
    expect(others).toContain('URI: http://localhost:3000');
    const timeOf = (name: string) =>
      Date.parse(others.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '');
    expect(timeOf('Expiration Time') - timeOf('Issued At')).toBe(3_600_000);
    expect(parseSignInMessage(message).ok).toBe(false);
    expect(parseSolanaSignInMessage(message).ok).toBe(false);
    expect(await world.message(user)).not.toBe(message);
  });

  it('linking a wallet: links the wallet, publishes one event, and is idempotent', async () => {
    const [user, key] = [world.newUser(), newKey()];
    const linked = await world.linkKey(user, key);
    // Token-gating is unavailable: the wallet is linked without balances.
    expect([linked.status, linked.body]).toEqual([200, { address: key.address, accounts: [] }]);
    expect((await world.linkKey(user, key, { chainId: '137' })).status).toBe(200);
    expect((await world.linkKey(user, key, { address: key.address.toLowerCase() })).status).toBe(200);
    expect((await world.linkKey(user, key, { address: `eip155:1:${key.address}` })).status).toBe(200);
    expect(await world.listPublishedEvents(user)).toEqual([
      `wallet.linked ${user.user.account ?? ''}`,
      `wallet.linked eip155:1:${key.address}`,
    ]);
    const rows = await world.query(
      `SELECT wallet_type, wallet_key, account_id FROM identity.wallet_connections
       WHERE user_id = $1 AND address = $2`,
      [user.user.id, key.address],
    );
    expect(rows).toEqual([
      { wallet_type: 'eoa', wallet_key: key.address.toLowerCase(), account_id: `eip155:1:${key.address}` },
    ]);
  });

  it('linking a wallet: publishes the time of the row', async () => {
    const [user, key] = [world.newUser(), newKey()];
    await world.linkKey(user, key);
    const publishedAt = (await world.publishedEvents(user)).at(-1)?.at ?? '';
    const rows = await world.query(
      'SELECT 1 FROM identity.wallet_connections WHERE user_id = $1 AND address = $2 AND created_at = $3::timestamptz',
      [user.user.id, key.address, publishedAt],
    );
    expect(rows).toHaveLength(1);
    expect(publishedAt).toMatch(/\.\d{6}Z$/);
  });

  it('linking a wallet: works for the same wallet with several users', async () => {
    const key = newKey();
    for (const user of [world.newUser(), world.newUser()])
      expect((await world.linkKey(user, key)).status).toBe(200);
  });

  it.each([
    ['a plain address', undefined, MAINNET],
    ['CAIP-2', `solana:${DEVNET}`, DEVNET],
    ['a CAIP-2 reference', DEVNET, DEVNET],
    ['the number used in rules', '8000000000103', DEVNET],
  ])('linking a wallet: works for Solana with %s', async (_, chainId, reference) => {
    const [user, wallet] = [world.newUser(), solanaKey()];
    const message = await world.message(user);
    const signedMessage = base58.encode(wallet.signed(message));
    const { status, body } = await world.link(user, {
      address: wallet.address,
      message,
      signedMessage,
      ...(chainId === undefined ? {} : { chainId }),
    });
    expect([status, body.address]).toEqual([200, wallet.address]);
    expect((await world.listPublishedEvents(user)).at(-1)).toBe(
      `wallet.linked solana:${reference}:${wallet.address}`,
    );
  });

  it('linking a wallet: accepts Solana signatures as base64 and hex, but not of another key', async () => {
    const [user, wallet] = [world.newUser(), solanaKey()];
    for (const encode of [
      (bytes: Buffer) => bytes.toString('base64'),
      (bytes: Buffer) => `0x${bytes.toString('hex')}`,
    ]) {
      const message = await world.message(user);
      const signedMessage = encode(wallet.signed(message));
      expect((await world.link(user, { address: wallet.address, message, signedMessage })).status).toBe(200);
    }
    const message = await world.message(user);
    const signedMessage = base58.encode(solanaKey().signed(message));
    expect(await codeOf(user, { address: wallet.address, message, signedMessage })).toEqual(WRONG);
  });

  it('T251: linking a Ledger: accepts the message in the off-chain envelope, and only the issued one', async () => {
    const [user, wallet] = [world.newUser(), solanaKey()];
    for (const sign of [
      (message: string) => base58.encode(wallet.signedByLedger(message)),
      (message: string) => wallet.signedWithDomain(message, Buffer.alloc(32, 7)).toString('base64'),
    ]) {
      const message = await world.message(user);
      const proof = { address: wallet.address, message, signedMessage: sign(message) };
      expect((await world.link(user, proof)).status).toBe(200);
      const other = { ...proof, message: await world.message(user) };
      expect(await codeOf(user, other)).toEqual(WRONG);
    }
  });

  it('addWalletAddress: a message that names a Solana account by its CAIP-10 id is answered with the plain address, too', async () => {
    const [user, wallet, other] = [world.newUser(), solanaKey(), solanaKey()];
    const ask = () => world.message(user, { address: `solana:${DEVNET}:${wallet.address}` });
    const answer = async (address: string, more: object = {}) => {
      const message = await ask();
      const proof = { address, message, signedMessage: base58.encode(wallet.signedByLedger(message)) };
      return world.link(user, { ...proof, ...more });
    };
    expect((await answer(wallet.address)).status).toBe(200);
    expect((await answer(`solana:${DEVNET}:${wallet.address}`)).status).toBe(200);
    const mainnet = await answer(wallet.address, { chainId: MAINNET });
    expect([mainnet.status, mainnet.error?.details.code]).toEqual([400, 'challenge_invalid']);
    const stranger = await answer(other.address);
    expect([stranger.status, stranger.error?.details.code]).toEqual([400, 'challenge_invalid']);
  });

  it('addWalletAddress: signatureType is read as at the login, and refused for an account of another family', async () => {
    const [user, wallet, key] = [world.newUser(), solanaKey(), newKey()];
    const linkSolana = async (signatureType: string) => {
      const message = await world.message(user);
      const signedMessage = base58.encode(wallet.signed(message));
      return codeOf(user, { address: wallet.address, message, signedMessage, signatureType });
    };
    const linkEvm = async (signatureType: string) => {
      const message = await world.message(user);
      const signedMessage = await key.signMessage({ message });
      return codeOf(user, { address: key.address, message, signedMessage, signatureType });
    };
    const [DONE, REFUSED] = [
      [200, undefined, undefined],
      [400, 'input_invalid', ['signatureType']],
    ];
    expect(await linkSolana('eip191')).toEqual(REFUSED);
    expect(await linkSolana('ed25519')).toEqual(DONE);
    expect(await linkEvm('ed25519')).toEqual(REFUSED);
    expect(await linkEvm('other')).toEqual(REFUSED);
    expect(await linkEvm('SIWE')).toEqual(DONE);
  });

  it('linking a wallet: uses a message up at the first attempt', async () => {
    const [user, key] = [world.newUser(), newKey()];
    const message = await world.message(user);
    const proof = { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    expect((await world.link(user, proof)).status).toBe(200);
    expect(await codeOf(user, proof)).toEqual(UNKNOWN);
    const other = await world.message(user);
    const bad = await newKey().signMessage({ message: other });
    expect(await codeOf(user, { address: key.address, message: other, signedMessage: bad })).toEqual(WRONG);
    const good = await key.signMessage({ message: other });
    expect(await codeOf(user, { address: key.address, message: other, signedMessage: good })).toEqual(
      UNKNOWN,
    );
  });

  it('linking a wallet: succeeds for one of ten concurrent requests', async () => {
    const [user, key] = [world.newUser(), newKey()];
    const message = await world.message(user);
    const signedMessage = await key.signMessage({ message });
    const proof = { address: key.address, message, signedMessage };
    const answers = await Promise.all(Array.from({ length: 10 }, () => codeOf(user, proof)));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([status]) => status !== 200)).toEqual(Array.from({ length: 9 }, () => UNKNOWN));
    expect(await world.publishedEvents(user)).toHaveLength(2);
  });

  it('linking a wallet: rejects another user’s message without using it up', async () => {
    const [user, other, key] = [world.newUser(), world.newUser(), newKey()];
    const message = await world.message(user);
    await world.message(other);
    const proof = { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    expect(await codeOf(other, proof)).toEqual(UNKNOWN);
    expect((await world.link(user, proof)).status).toBe(200);
    expect(await world.listPublishedEvents(other)).toEqual([`wallet.linked ${other.user.account ?? ''}`]);
  });

  it('linking a wallet: rejects a message that differs in one byte', async () => {
    const [user, key] = [world.newUser(), newKey()];
    for (const change of [
      (message: string) => `${message}\n`,
      (message: string) => message.replace(/\n/g, '\r\n'),
      (message: string) => message.replace('Account: user_', 'Account:  user_'),
      (message: string) => message.replace(/Nonce: ./, 'Nonce: _'),
    ]) {
      const message = change(await world.message(user));
      const signedMessage = await key.signMessage({ message });
      expect(await codeOf(user, { address: key.address, message, signedMessage })).toEqual(UNKNOWN);
    }
  });

  it('linking a wallet: rejects an expired message', async () => {
    const [user, key] = [world.newUser(), newKey()];
    const message = await world.message(user);
    await world.query(
      "UPDATE identity.wallet_challenges SET expires_at = now() - interval '1 second' WHERE user_id = $1",
      [user.user.id],
    );
    const proof = { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    expect(await codeOf(user, proof)).toEqual([400, 'challenge_invalid', ['message']]);
    expect(await codeOf(user, proof)).toEqual(UNKNOWN);
  });

  it('linking a wallet: rejects another address and invalid signature formats', async () => {
    const [user, key] = [world.newUser(), newKey()];
    for (const change of [
      (signature: Hex) => ({ address: newKey().address, signedMessage: signature }),
      (signature: Hex) => ({ signedMessage: toMalleableVariant(signature) }),
      (signature: Hex) => ({ signedMessage: signature.slice(2) }),
      (signature: Hex) => ({ signedMessage: signature.slice(0, -2) }),
      () => ({ signedMessage: '0x' }),
      (signature: Hex) => ({ address: solanaKey().address, signedMessage: signature }),
    ]) {
      const message = await world.message(user);
      const signature = await key.signMessage({ message });
      expect(await codeOf(user, { address: key.address, message, ...change(signature) })).toEqual(WRONG);
    }
    expect(await world.publishedEvents(user)).toHaveLength(1);
  });

  it('linking a wallet: names the invalid field without using the message up', async () => {
    const [user, key] = [world.newUser(), newKey()];
    const message = await world.message(user);
    const proof = { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    const bad = (path: string) => [400, 'input_invalid', [path]];
    const mistyped = key.address.replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const address of [mistyped, `0x${'0'.repeat(40)}`, '0x12', user.user.id, `cosmos:a:${key.address}`])
      expect([address, ...(await codeOf(user, { ...proof, address }))]).toEqual([address, ...bad('address')]);
    for (const chainId of ['0x1', 'one', '1.0', '-1', '999999937', `solana:${MAINNET}`, '99999999999999999'])
      expect([chainId, ...(await codeOf(user, { ...proof, chainId }))]).toEqual([chainId, ...bad('chainId')]);
    expect(await codeOf(user, { ...proof, address: `eip155:10:${key.address}`, chainId: '137' })).toEqual(
      bad('chainId'),
    );
    const solana = { ...proof, address: solanaKey().address, chainId: '1' };
    expect(await codeOf(user, solana)).toEqual(bad('chainId'));
    expect((await codeOf(user, { ...proof, chain: '1' }))[0]).toBe(400);
    expect((await world.link(user, proof)).status).toBe(200);
  });

  it('linking a wallet: enforces the wallet limit for concurrent requests', async () => {
    const [user, other] = [world.newUser(), world.newUser()];
    await world.message(user);
    // The user's own wallet counts, too.
    await world.query(
      `INSERT INTO identity.wallet_connections
         (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
       SELECT 'wallet_' || $1 || n, $1, 'key' || n, 'address' || n, 'eip155:1:' || n, 'ethereum', 'eoa', '1'
       FROM generate_series(1, $2) AS n`,
      [user.user.id, MAX_WALLETS_PER_USER - 3],
    );
    const keys = [newKey(), newKey(), newKey(), newKey(), newKey()];
    const answers = await Promise.all(keys.map((key) => world.linkKey(user, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409]);
    const exceeded = answers.find(({ status }) => status === 409);
    expect(exceeded?.error?.details.code).toBe('wallet_limit_exceeded');
    const known = keys[answers.findIndex(({ status }) => status === 200)] ?? newKey();
    expect((await world.linkKey(user, known)).status).toBe(200);
    expect((await world.linkKey(other, known)).status).toBe(200);
    expect(
      (await world.listPublishedEvents(user)).filter((text) => text.startsWith('wallet.linked')),
    ).toHaveLength(3);
  });

  it('linking a wallet: keeps only the newest messages of a user, and no expired ones', async () => {
    const [user, other] = [world.newUser(), world.newUser()];
    const first = await world.message(user);
    await Promise.all(Array.from({ length: 14 }, () => world.message(user)));
    const last = await world.message(user);
    const count = async (owner: User) =>
      (await world.query('SELECT 1 FROM identity.wallet_challenges WHERE user_id = $1', [owner.user.id]))
        .length;
    expect(await count(user)).toBe(10);
    const key = newKey();
    const proof = async (message: string) => ({
      address: key.address,
      message,
      signedMessage: await key.signMessage({ message }),
    });
    expect(await codeOf(user, await proof(first))).toEqual(UNKNOWN);
    expect((await world.link(user, await proof(last))).status).toBe(200);
    await world.query(
      "UPDATE identity.wallet_challenges SET expires_at = now() - interval '61 minutes' WHERE user_id = $1",
      [user.user.id],
    );
    await world.message(other);
    expect(await count(user)).toBe(0);
  });

  it('T70: linking a wallet: keeps the messages of a user when another application of the user requests many', async () => {
    const [user, key] = [world.newUser(), newKey()];
    const other = await world.signIn.client(['https://other.example']);
    const atOther: User = { ...user, ...other, kind: 'caller', user: user.user, scopes: ['$public'] };
    const message = await world.message(user);
    await Promise.all(Array.from({ length: 14 }, () => world.message(atOther)));
    const proof = { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    expect((await world.link(user, proof)).status).toBe(200);
    const [open] = await world.query(
      'SELECT count(*)::int AS messages FROM identity.wallet_challenges WHERE user_id = $1',
      [user.user.id],
    );
    expect(open).toEqual({ messages: 10 });
  });

  it('linking a wallet: requires a stored user or one derived from a wallet', async () => {
    const nobody = { ...world.newUser(), user: { id: 'user_nobody' } };
    expect((await world.list('/account/auth-message', nobody)).status).toBe(404);
  });

  describe('with a message that names the wallet', () => {
    const proofOf = async (user: User, key: PrivateKeyAccount, query: Record<string, string> = {}) => {
      const message = await world.message(user, { address: key.address, ...query });
      return { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    };
    const walletsOf = async (user: User) =>
      (await world.list('/account/wallets?limit=100', user)).items.map(
        (item) => (item as { address: string }).address,
      );

    it('T62: linking a wallet, with a message that names the wallet: uses EIP-4361 with the domain of the service, and is not valid as a credential', async () => {
      const [user, key] = [world.newUser(), newKey()];
      const message = await world.message(user, { address: `eip155:137:${key.address.toLowerCase()}` });
      const parsed = parseSignInMessage(message);
      expect(parsed).toMatchObject({
        ok: true,
        message: {
          domain: 'localhost:3000',
          uri: 'http://localhost:3000',
          address: key.address,
          chainId: 137,
          statement: expect.stringContaining(`Link this wallet to the account ${user.user.id}.`),
        },
      });
      const signedMessage = await key.signMessage({ message });
      const credential = { message, signature: signedMessage };
      const { body } = await world.signIn.post('/internal/ethereum-credentials', GATEWAY_ITSELF, credential);
      expect(body).toEqual({ isValid: false });
      const proof = { address: key.address, message, signedMessage };
      expect((await world.link(user, proof)).status).toBe(200);
      expect(await codeOf(user, proof)).toEqual(UNKNOWN);
    });

    it('T62: linking a wallet, with a message that names the wallet: uses the form of Solana for a Solana address', async () => {
      const [user, key] = [world.newUser(), solanaKey()];
      const message = await world.message(user, { address: `solana:${DEVNET}:${key.address}` });
      expect(parseSolanaSignInMessage(message)).toMatchObject({
        ok: true,
        message: { domain: 'localhost:3000', address: key.address, chainId: 'devnet' },
      });
      const proof = { address: key.address, message, signedMessage: base58.encode(key.signed(message)) };
      expect(await codeOf(user, { ...proof, chainId: `solana:${DEVNET}` })).toEqual([
        200,
        undefined,
        undefined,
      ]);
    });

    it('T62: linking a wallet, with a message that names the wallet: links no other wallet, on no other chain', async () => {
      const [user, key, other] = [world.newUser(), newKey(), newKey()];
      const { message } = await proofOf(user, key);
      const signedMessage = await other.signMessage({ message });
      expect(await codeOf(user, { address: other.address, message, signedMessage })).toEqual(UNKNOWN);
      expect(await codeOf(user, { ...(await proofOf(user, key)), chainId: '137' })).toEqual(UNKNOWN);
      expect(await walletsOf(user)).not.toContain(key.address);
    });

    it('T76: linking a wallet, with a message that names the wallet: publishes a link and its event for others in jobs apart, of which the former release reads the link', async () => {
      const [victim, key, thief] = [world.newUser(), newKey(), world.newUser()];
      await world.linkKey(victim, key);
      await world.linkKey(thief, key);
      const jobs = await world.publishedJobs(`eip155:1:${key.address}`);
      expect(jobs.map(({ events }) => events.map(({ type }) => type))).toEqual([
        ['wallet.linked'],
        ['wallet.linked'],
        ['wallet.shared'],
      ]);
      expect(jobs.map((job) => formerWalletEvents.safeParse(job).success)).toEqual([true, true, false]);
    });

    it('T62: linking a wallet, with a message that names the wallet: publishes an event for the users who have the wallet, and ends their links only when asked to', async () => {
      const [victim, key, thief] = [world.newUser(), newKey(), world.newUser()];
      await world.linkKey(victim, key);
      await world.linkKey(thief, key);
      const linked = `eip155:1:${key.address}`;
      expect((await world.listPublishedEvents(victim)).slice(1)).toEqual([
        `wallet.linked ${linked}`,
        `wallet.shared ${linked}`,
      ]);
      expect((await world.link(victim, await proofOf(victim, key))).status).toBe(200);
      expect(await walletsOf(thief)).toContain(key.address);
      const proof = await proofOf(victim, key, { unlinkOthers: 'true' });
      expect(proof.message).toContain('end its links to all other accounts');
      expect((await world.link(victim, proof)).status).toBe(200);
      expect(await walletsOf(thief)).not.toContain(key.address);
      expect(await walletsOf(thief)).toHaveLength(1);
      expect(await walletsOf(victim)).toContain(key.address);
      expect((await world.listPublishedEvents(thief)).at(-1)).toBe(`wallet.unlinked ${linked}`);
      expect((await world.listPublishedEvents(victim)).filter((text) => text.includes('unlinked'))).toEqual(
        [],
      );
    });

    it.each([
      ['address=0x12', 'address'],
      ['address=eip155:999999937:0x00000000000000000000000000000000000000aa', 'chainId'],
      ['unlinkOthers=true', 'address'],
      ['address=0x00000000000000000000000000000000000000aa&unlinkOthers=yes', 'unlinkOthers'],
    ])('linking a wallet, with a message that names the wallet: refuses %s', async (query, field) => {
      const { status, error } = await world.list(`/account/auth-message?${query}`, world.newUser());
      expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, [field]]);
    });
  });
});
