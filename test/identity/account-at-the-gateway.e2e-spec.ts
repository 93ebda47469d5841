import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LocalChain } from '../support/local-chain.js';
import type { RunningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { newKey } from './linking-world.js';
import { queryDatabase } from './query-database.js';
import { leaseOAuthWorldOnAChain } from './oauth-world-on-a-chain.js';

const ACCOUNT_SCOPES = ['user:read', 'user:write', 'user:wallet:read', 'user:wallet:write'];

/** Each operation's required scope, and its status with that scope. */
const OPERATIONS: [method: string, path: string, scope: string, status: number, body?: object][] = [
  ['GET', '/account/me', '$public', 200],
  ['PATCH', '/account/me', 'user:write', 200, { name: 'Ann' }],
  ['GET', '/account/auth-message', '', 200],
  ['GET', '/account/linked-users', 'user:read', 200],
  ['GET', '/account/wallets', 'user:wallet:read', 200],
  [
    'POST',
    '/account/wallet-address',
    'user:wallet:write',
    400,
    { address: `0x${'1'.repeat(40)}`, message: 'm', signedMessage: '0x' },
  ],
  ['DELETE', `/account/wallets/0x${'1'.repeat(40)}`, 'user:wallet:write', 404],
  ['DELETE', '/account/wallets', 'user:wallet:write', 200],
];

describe('account operations at the gateway', () => {
  let chain: LocalChain;
  let suite: RunningSuite;
  let wallet: WalletAtTheGateway;
  let accountId: string;

  beforeAll(async () => {
    const leased = await leaseOAuthWorldOnAChain();
    ({ chain } = leased);
    ({ suite } = leased.world);
    wallet = await WalletAtTheGateway.start(suite, { scopes: ['token-gating', ...ACCOUNT_SCOPES] });
    accountId = `eip155:1:${wallet.owner.address}`;
  }, 120_000);

  const ask = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(suite.gatewayUrl + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> & {
      error?: { name: string };
    };
    return { status: response.status, answer, text };
  };

  const signedIn = async (scopes: string[]) => {
    const resources = scopes.map((scope) => `urn:scope:${scope}`);
    const { requestId, signature } = await wallet.challenge({ accountId, resources });
    const { body } = await wallet.post('/ethereum-login/id-tokens', wallet.key, { requestId, signature });
    return { authorization: `AE ${body['idToken'] ?? ''}` };
  };
  const credential = async (scopes: string[]) => ({
    authorization: await wallet.credential(accountId, { scopes }),
  });

  /** Request headers, and the granted scopes; undefined without a user. */
  const CALLERS: [string, () => Promise<Record<string, string>>, string[] | undefined][] = [
    ['no credentials', () => Promise.resolve({}), undefined],
    ['an API key only', () => Promise.resolve(wallet.key), undefined],
    ['an invalid token', () => Promise.resolve({ authorization: 'AE a.b.c.d.e' }), undefined],
    [
      'an invalid credential and a valid API key',
      () => Promise.resolve({ ...wallet.key, authorization: 'Ethereum a.b' }),
      undefined,
    ],
    ['an AE token without scopes', () => signedIn([]), ['$public', 'user:read']],
    [
      'an AE token with the read scope',
      () => signedIn(['user:wallet:read']),
      ['$public', 'user:wallet:read'],
    ],
    [
      'an AE token with all scopes',
      () => signedIn(['$public', ...ACCOUNT_SCOPES]),
      ['$public', ...ACCOUNT_SCOPES],
    ],
    [
      'an AE token with all scopes and an API key',
      async () => ({ ...wallet.key, ...(await signedIn(['$public', ...ACCOUNT_SCOPES])) }),
      ['$public', ...ACCOUNT_SCOPES],
    ],
    ['an Ethereum credential without scopes', () => credential([]), ['$public', 'user:read']],
    [
      'an Ethereum credential with the read scope',
      () => credential(['user:read', 'user:wallet:read']),
      ['$public', 'user:read', 'user:wallet:read'],
    ],
  ];

  it.each(CALLERS)(
    'account operations at the gateway: accept %s within its scopes',
    async (_, createHeaders, scopes) => {
      const headers = await createHeaders();
      for (const [method, path, required, status, body] of OPERATIONS) {
        const isAllowed = required === '' || required === '$public' || scopes?.includes(required);
        const expected = scopes === undefined ? 401 : isAllowed ? status : 403;
        const { status: actual, answer } = await ask(method, path, headers, body);
        expect([method, path, actual]).toEqual([method, path, expected]);
        if (expected === 401) expect(answer.error?.name).toBe('UnauthorizedError');
        if (expected === 403) expect(answer.error?.name).toBe('ForbiddenError');
      }
    },
  );

  it('account operations at the gateway: link, list and remove a wallet', async () => {
    const headers = await signedIn(['$public', ...ACCOUNT_SCOPES]);
    const key = newKey();
    await chain.client.setBalance({ address: key.address, value: 1_500_000_000_000_000_000n });
    const { answer: challenge } = await ask('GET', '/account/auth-message', headers);
    const message = String(challenge['message']);
    const proof = { address: key.address, message, signedMessage: await key.signMessage({ message }) };
    const linked = await ask('POST', '/account/wallet-address', headers, proof);
    expect([linked.status, linked.answer['address']]).toEqual([200, key.address]);
    expect(linked.answer['accounts']).toEqual([
      expect.objectContaining({ chainId: chain.chainId, balance: '1.5' }),
    ]);
    const { answer } = await ask('GET', '/account/wallets?limit=100', headers);
    expect(answer['items']).toContainEqual(expect.objectContaining({ accountId: `eip155:1:${key.address}` }));
    const encoded = encodeURIComponent(`eip155:1:${key.address}`);
    const removed = await ask('DELETE', `/account/wallets/${encoded}`, headers);
    expect([removed.status, removed.text]).toEqual([200, '']);
    // Removing the wallet of the current login revokes no token.
    expect((await ask('DELETE', '/account/wallets', headers)).status).toBe(200);
    expect((await ask('GET', '/account/me', headers)).status).toBe(200);
    expect((await ask('GET', '/account/wallets', headers)).answer).toEqual({ items: [] });
    // All wallet events were relayed.
    await until('the outbox is empty', async () => {
      const rows = await queryDatabase(suite.databaseUrl, 'SELECT 1 FROM identity.outbox');
      return rows.length === 0;
    });
  });
});
