import { beforeAll, describe, expect, it } from '@jest/globals';
import { isValidSignInNonce, NONCE_PLACEHOLDER, type Principal, deriveUserId } from '@app/auth';
import {
  formatSignInMessage,
  parseSignInMessage,
  parseSolanaSignInMessage,
  type SignInMessage,
} from '@app/chain/sign-in';
import { tokenKeys } from '@app/dto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
const NOBODY = '0x0000000000000000000000000000000000000000';

describe('the challenge of a sign-in with Ethereum', () => {
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

  const messageOf = (text: string): SignInMessage => {
    const parsed = parseSignInMessage(text);
    if (!parsed.ok) throw new Error(`${parsed.problem.field} ${parsed.problem.reason}`);
    return parsed.message;
  };

  const clientId = () => (shop.kind === 'caller' ? (shop.client?.id ?? '') : '');

  it('challenge of a sign-in with Ethereum: is an EIP-4361 message for the requesting origin and returns the state', async () => {
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
    // An independent parser reads the same fields.
    const { domain, nonce, chainId } = parseSiweMessage(message);
    expect({ domain, nonce, chainId }).toEqual({ domain: said.domain, nonce: said.nonce, chainId: 137 });
    const [issued, expires] = [said.issuedAt, said.expirationTime ?? ''].map((text) => Date.parse(text));
    expect(issued).toBeGreaterThanOrEqual(before);
    expect((expires ?? 0) - (issued ?? 0)).toBe(600_000);
  });

  it('challenge of a sign-in with Ethereum: has a nonce that is bound to purpose, client application and the whole text', async () => {
    const { message } = await ask({ accountId: wallet.address });
    const { nonce, ...fields } = messageOf(message);
    const answer = await world.identity.get('/internal/token-keys', GATEWAY_ITSELF);
    const keys = tokenKeys.parse(await answer.json()).nonce;
    const keyOf = (kid: string) => {
      const key = keys.find((one) => one.kid === kid);
      return key && Buffer.from(key.k, 'base64url');
    };
    const textWith = (more: Partial<SignInMessage>) =>
      formatSignInMessage({ ...fields, ...more, nonce: NONCE_PLACEHOLDER });
    const binding = { purpose: 'login', clientId: clientId(), text: textWith({}) } as const;
    expect(isValidSignInNonce(binding, nonce, keyOf)).toBe(true);
    for (const other of [
      { purpose: 'credential' as const },
      { clientId: 'client_2' },
      { text: textWith({ address: NOBODY }) },
      { text: textWith({ expirationTime: new Date().toISOString() }) },
      { text: textWith({ statement: 'Claim your airdrop.' }) },
    ])
      expect(isValidSignInNonce({ ...binding, ...other }, nonce, keyOf)).toBe(false);
  });

  it('challenge of a sign-in with Ethereum: may omit the account, so that any account may sign', async () => {
    expect(messageOf((await ask()).message)).toMatchObject({ address: NOBODY, chainId: 1 });
  });

  it('challenge of a sign-in with Ethereum: contains the host with its port, as wallets compare it', async () => {
    const { message } = await ask({ uri: 'http://localhost:5173/' });
    expect(messageOf(message).domain).toBe('localhost:5173');
    const usual = await ask({ uri: 'https://Shop.example:443/a?b=c#d' });
    expect(messageOf(usual.message).domain).toBe('shop.example');
  });

  it('challenge of a sign-in with Ethereum: is for the page of the domain when there is no URI', async () => {
    const { status, body } = await world.challenge(shop, { domain: 'Shop.example' });
    expect(status).toBe(200);
    expect(messageOf(body.message)).toMatchObject({ domain: 'shop.example', uri: 'https://shop.example' });
    const both = await ask({ domain: 'shop.example' });
    expect(messageOf(both.message)).toMatchObject({ domain: 'shop.example', uri: `${ORIGIN}/login` });
    const port = await ask({ uri: 'http://localhost:5173/', domain: 'localhost:5173' });
    expect(messageOf(port.message).domain).toBe('localhost:5173');
  });

  it.each([
    ['another domain than the URI', { uri: ORIGIN, domain: 'evil.example' }, 'input_invalid', 'domain'],
    [
      'a domain without the port',
      { uri: 'http://localhost:5173/', domain: 'localhost' },
      'input_invalid',
      'domain',
    ],
    ['a domain that is not registered', { domain: 'evil.example' }, 'origin_invalid', 'domain'],
    ['a domain that is registered for http', { domain: 'localhost:5173' }, 'origin_invalid', 'domain'],
    ['a domain with a user', { domain: 'user@shop.example' }, 'input_invalid', 'domain'],
    ['a domain with a path', { domain: 'shop.example/login' }, 'input_invalid', 'domain'],
    ['a domain that is no host', { domain: 'shop.example:port' }, 'input_invalid', 'domain'],
    ['neither URI nor domain', {}, 'input_invalid', 'uri'],
  ])('challenge of a sign-in with Ethereum: is refused for %s', async (_, request, code, path) => {
    const { status, error } = await world.challenge(shop, request);
    expect([status, error?.details.code, error?.details.issues?.map((issue) => issue.path)]).toEqual([
      400,
      code,
      [path],
    ]);
  });

  it.each([
    ['another origin', 'https://evil.example/'],
    ['another port', 'https://shop.example:8443/'],
    ['another scheme', 'http://shop.example/'],
    ['a longer host', 'https://shop.example.evil.example/'],
    ['a subdomain', 'https://a.shop.example/'],
    ['the host as user', 'https://shop.example@evil.example/'],
  ])('challenge of a sign-in with Ethereum: is refused for %s', async (_, uri) => {
    const { status, error } = await world.challenge(shop, { uri });
    expect([status, error?.details.code]).toEqual([400, 'origin_invalid']);
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
  ])('challenge of a sign-in with Ethereum: is refused for a URI with %s', async (_, uri) => {
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
      deriveUserId('ethereum', wallet.address.toLowerCase()),
    ].filter((text) => text !== wallet.address),
  )('challenge of a sign-in with Ethereum: is not made for the account %s', async (accountId) => {
    const { status, error } = await world.challenge(shop, { uri: ORIGIN, accountId });
    expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['accountId']]);
  });

  it('challenge of a sign-in with Ethereum: contains only scopes that the client application may request', async () => {
    const { message } = await ask({ resources: ['urn:scope:user:wallet:read', 'urn:scope:token-gating'] });
    expect(messageOf(message).resources).toEqual(['urn:scope:user:wallet:read', 'urn:scope:token-gating']);
    const refused = await world.challenge(shop, { uri: ORIGIN, resources: ['urn:scope:accountkit'] });
    expect([refused.status, refused.error?.details.code]).toEqual([403, 'scope_forbidden']);
    for (const resource of [
      'urn:scope:all',
      'shop.example/',
      'urn:recap:e30',
      'https://shop.example/ü',
      '',
    ]) {
      const { status, error } = await world.challenge(shop, {
        uri: ORIGIN,
        resources: ['urn:scope:user:read', resource],
      });
      expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['resources.1']]);
    }
  });

  const SOLANA_ACCOUNT = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';
  const resourcesOf = (message: string): readonly string[] => {
    const parsed = message.includes('Solana')
      ? parseSolanaSignInMessage(message)
      : parseSignInMessage(message);
    return (parsed.ok ? parsed.message.resources : undefined) ?? [];
  };

  it.each([
    ['Ethereum', {}],
    ['Solana', { accountId: SOLANA_ACCOUNT }],
  ])(
    'challenges: a message for %s lists 50 resources, repeated ones too, as given and in order',
    async (_, more) => {
      const given = [
        'https://shop.example/terms?b=1&a=2#x',
        'urn:scope:user:read',
        'ipfs://bafy/B',
        'urn:client:client_1',
      ];
      const resources = Array.from({ length: 50 }, (__, index) => given[index % 4] ?? '');
      expect(resourcesOf((await ask({ ...more, resources })).message)).toEqual(resources);
    },
  );

  it('challenges: resources without a scope are followed by the default scopes', async () => {
    const resources = ['https://shop.example/terms', `https://shop.example/${'a'.repeat(491)}`];
    expect(resources[1]).toHaveLength(512);
    expect(resourcesOf((await ask({ resources })).message)).toEqual([
      ...resources,
      'urn:scope:$public',
      'urn:scope:user:read',
    ]);
  });

  it('challenges: resources that are too many, too long or too long together are 400 with their place', async () => {
    const refuse = async (resources: string[]) => {
      const { status, error } = await world.challenge(shop, { uri: ORIGIN, resources });
      return [status, error?.details.issues?.map(({ path }) => path)];
    };
    expect(await refuse(Array.from({ length: 51 }, () => 'a:b'))).toEqual([400, ['resources']]);
    expect(await refuse(['a:b', `a:${'b'.repeat(511)}`])).toEqual([400, ['resources.1']]);
    expect(await refuse(Array.from({ length: 8 }, () => `a:${'b'.repeat(510)}`))).toEqual([
      400,
      ['resources'],
    ]);
  });

  it('challenges: the marker of credentials stands beside scopes only', async () => {
    const marker = `${world.identity.env.PUBLIC_URL ?? ''}/#credential`;
    const request = { uri: ORIGIN, accountId: wallet.address };
    const good = await world.challenge(shop, { ...request, resources: [marker, 'urn:scope:user:read'] });
    expect(resourcesOf(good.body.message)).toEqual([
      marker,
      `urn:client:${clientId()}`,
      'urn:scope:user:read',
    ]);
    for (const resource of ['https://shop.example/terms', 'urn:recap:e30', 'urn:client:client_1']) {
      const { status, error } = await world.challenge(shop, { ...request, resources: [marker, resource] });
      expect([status, error?.details.issues?.map(({ path }) => path)]).toEqual([400, ['resources.1']]);
    }
  });

  it('challenge of a sign-in with Ethereum: requires an existing client application', async () => {
    const gone = await world.client([ORIGIN]);
    if (gone.kind === 'caller') await world.services.clientApplications.remove(gone.client?.id ?? '');
    expect((await world.challenge(gone, { uri: ORIGIN })).status).toBe(403);
    const user: Principal = { kind: 'caller', user: { id: 'user_1' }, scopes: [] };
    expect((await world.challenge(user, { uri: ORIGIN })).status).toBe(403);
    const nowhere = await world.client([]);
    expect((await world.challenge(nowhere, { uri: ORIGIN })).status).toBe(400);
  });
});
