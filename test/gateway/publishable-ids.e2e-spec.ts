import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createClientCredential,
  type InternalSigningKey,
  PRINCIPAL_HEADER,
  PrincipalIssuer,
} from '@app/auth';
import { loadOpenApiDocument, parseOperations } from '@app/openapi';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Created } from '../identity/application-owner.js';
import { LocalChain } from '../support/local-chain.js';
import { measureBurst } from '../support/measure-burst.js';
import { operationOf } from '../support/operation-of.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

const SHOP = 'https://shop.example';
const HOLDER = '0x1111111111111111111111111111111111111111';
const STRANGER = '0x2222222222222222222222222222222222222222';
const WHOLE = 10n ** 18n;

interface Answer {
  status: number;
  body: {
    error?: { message: string; details: { code?: string; issues?: { path: string }[] } };
    roles?: { id: string; granted: boolean }[];
    items?: { id: string; publishableId: string; origins: string[]; name?: string }[];
  } & Record<string, unknown>;
  code: string | undefined;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Answer['body'];
  return { status: response.status, body, code: body.error?.details.code };
}

describe('publishable ids', () => {
  let chain: LocalChain;
  let suite: RunningSuite;
  let lastAddress = 0;

  beforeAll(async () => {
    chain = await LocalChain.start();
    await chain.installMulticall3();
    suite = await runningSuite({
      rpcUrls: { [chain.chainId]: chain.rpcUrl },
      env: { TRUSTED_PROXIES: '127.0.0.1', ADDRESS_REQUESTS_PER_SECOND: '1000' },
    });
    await chain.setNativeBalance(HOLDER, 3n * WHOLE);
    await chain.setNativeBalance(STRANGER, 0n);
  }, 120_000);

  afterAll(async () => {
    await suite.stop();
    await chain.stop();
  });

  /** What the owner of applications asks, as the gateway forwards it to identity. */
  async function askAs(userId: string, method: string, path: string, body?: object): Promise<Answer> {
    const issuer = new PrincipalIssuer(suite.secrets.signing['gateway'] as InternalSigningKey);
    const principal = { kind: 'caller' as const, user: { id: userId }, scopes: [] };
    const token = await issuer.issueToken(principal, 'identity', operationOf(method, path));
    return read(
      await fetch(`${suite.app('identity').url}${path}`, {
        method,
        headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
  }

  /** An application with published rules and a publishable id of one origin. */
  async function newShop(origins = [SHOP], scopes = ['token-gating']) {
    const userId = `user_${randomUUID()}`;
    const registered = await askAs(userId, 'POST', '/client-applications', { name: 'Shop', scopes });
    const { application, apiKey } = registered.body as unknown as Created;
    const { clientId } = application;
    await suite.clientCommand(['approve', clientId]);
    const path = `/client-applications/${clientId}/publishable-ids`;
    const created = await askAs(userId, 'POST', path, { name: 'Front page', origins });
    expect(created.status).toBe(201);
    const { id, publishableId } = created.body as unknown as { id: string; publishableId: string };
    return { userId, clientId, apiKey, path, id, publishableId };
  }

  async function setLimits(shop: { clientId: string }, perSecond: number, perMonth: number): Promise<void> {
    const listed = await suite.clientCommand(['list', '--json']);
    const { clients } = JSON.parse(listed) as { clients: { clientId: string; ownerId: string }[] };
    const ownerId = String(clients.find(({ clientId }) => clientId === shop.clientId)?.ownerId);
    const limits = ['--requests-per-second', String(perSecond), '--requests-per-month', String(perMonth)];
    await suite.clientCommand(['set-plan', ownerId, '--plan', 'enterprise', ...limits]);
  }

  const RULES = () => [
    { name: 'holders', rule: { type: 'NATIVE', chainId: chain.chainId, minToken: '2', roleId: 'holder' } },
    {
      name: 'whales',
      rule: { roleId: 'whale', allOf: [{ type: 'NATIVE', chainId: chain.chainId, minToken: '900' }] },
    },
  ];

  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    read(
      await fetch(`${suite.gatewayUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );

  const publish = (shop: { clientId: string; apiKey: string }, rules: unknown = RULES()) =>
    send(
      'PUT',
      `/client-applications/${shop.clientId}/published-rules`,
      { 'x-api-key': shop.apiKey },
      { rules },
    );

  /** Headers of a page of the shop, on a device that no request came from before. */
  const page = (publishableId: string, origin = SHOP): Record<string, string> => ({
    'x-api-key': publishableId,
    origin,
    'x-forwarded-for': `10.0.${String(lastAddress >> 8)}.${String(++lastAddress & 255)}`,
  });

  const CHECK = '/access-control/check-published-rules';
  const check = (headers: Record<string, string>, account = HOLDER, rules = ['holders']) =>
    send('POST', CHECK, headers, { account, rules });

  it('publishable ids: check published rules by name, and list chains and rule types', async () => {
    const shop = await newShop();
    expect(shop.publishableId).toMatch(/^gthp_/);
    const before = await check(page(shop.publishableId));
    expect([before.status, before.code]).toEqual([404, 'published_rule_not_found']);
    const published = await publish(shop);
    expect([published.status, published.body['rules']]).toEqual([200, RULES()]);
    const all = await check(page(shop.publishableId), HOLDER, ['whales', 'holders']);
    expect([all.status, all.body]).toEqual([
      200,
      {
        roles: [
          { id: 'whale', granted: false },
          { id: 'holder', granted: true },
        ],
      },
    ]);
    const stranger = await check(page(shop.publishableId), STRANGER);
    expect(stranger.body.roles).toEqual([{ id: 'holder', granted: false }]);
    for (const path of ['/chains', '/rule-types'])
      expect((await send('GET', path, page(shop.publishableId))).status).toBe(200);
    // A server decides again, about the same rules, with its key.
    const again = await check({ 'x-api-key': shop.apiKey });
    expect(again.body.roles).toEqual([{ id: 'holder', granted: true }]);
  });

  it('T404: publishable ids: are refused with 403 on every origin that is not in their list byte for byte', async () => {
    const shop = await newShop([SHOP, 'http://localhost:3006']);
    await publish(shop);
    const wrong = [
      undefined,
      'null',
      '',
      'https://shop.example/',
      'https://SHOP.example',
      'http://shop.example',
      'https://shop.example:443',
      'https://shop.example.evil.example',
      'https://www.shop.example',
      `${SHOP}, https://evil.example`,
      'https://evil.example',
    ];
    for (const origin of wrong) {
      const headers = page(shop.publishableId);
      delete headers['origin'];
      for (const answer of [
        await check({ ...headers, ...(origin !== undefined && { origin }) }),
        await send('GET', '/chains', { ...headers, ...(origin !== undefined && { origin }) }),
      ])
        expect([origin, answer.status, answer.code]).toEqual([origin, 403, 'origin_not_allowed']);
    }
    for (const origin of [SHOP, 'http://localhost:3006'])
      expect((await check(page(shop.publishableId, origin))).status).toBe(200);
  });

  it('T396: publishable ids: are refused with 403 on every other operation, on unknown paths and beside a token', async () => {
    const shop = await newShop();
    await publish(shop);
    const operations = parseOperations(loadOpenApiDocument());
    const open = operations.filter((each) => each.allowsPublishableId).map(({ id }) => id);
    expect(open.toSorted()).toEqual([
      'CatalogueController.listChains',
      'CatalogueController.listRuleTypes',
      'PublishedRuleController.checkPublishedRules',
    ]);
    const others = operations
      .filter(({ id }) => !open.includes(id))
      .map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const);
    expect(others.length).toBeGreaterThan(100);
    for (const [method, path] of [...others, ['GET', '/openapi.json'], ['GET', '/no/such/path']] as const) {
      const answer = await send(method, path, page(shop.publishableId), method === 'GET' ? undefined : {});
      expect([method, path, answer.status, answer.code]).toEqual([
        method,
        path,
        403,
        'publishable_id_forbidden',
      ]);
    }
    const token = { ...page(shop.publishableId), authorization: 'Bearer nonsense' };
    expect((await check(token)).status).toBe(401);
    const raw = await send('POST', '/access-control/check-roles', page(shop.publishableId), {
      account: HOLDER,
      rules: [{ type: 'NATIVE', chainId: chain.chainId }],
    });
    expect(raw.status).toBe(403);
    const unapproved = await newShop([SHOP], ['user:read']);
    const refused = await check(page(unapproved.publishableId));
    expect([refused.status, refused.code]).toEqual([403, 'scope_required']);
  });

  it('T397: publishable ids: check one plain address against rules of their own application only', async () => {
    const shop = await newShop();
    const other = await newShop();
    await setLimits(shop, 1_000, 100_000);
    await publish(shop);
    await publish(other, [{ ...RULES()[0], name: 'secret' }]);
    const foreign = await check(page(shop.publishableId), HOLDER, ['secret']);
    expect([foreign.status, foreign.code]).toEqual([404, 'published_rule_not_found']);
    const rule = { type: 'NATIVE', chainId: chain.chainId };
    const wrong: [string, unknown][] = [
      ['account', { account: 'user_1', rules: ['holders'] }],
      ['account', { account: `eip155:1:${HOLDER}`, rules: ['holders'] }],
      ['account', { account: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:x', rules: ['holders'] }],
      ['account', { account: [HOLDER], rules: ['holders'] }],
      ['rules', { account: HOLDER, rules: [] }],
      ['rules', { account: HOLDER, rules: 'holders' }],
      ['rules', { account: HOLDER, rules: ['holders', 'holders'] }],
      ['rules', { account: HOLDER, rules: Array.from({ length: 51 }, (_, at) => `r${String(at)}`) }],
      ['rules.0', { account: HOLDER, rules: [rule] }],
      ['rules.0', { account: HOLDER, rules: ['a b'] }],
      ['async', { account: HOLDER, rules: ['holders'], async: true }],
      ['callbackUrl', { account: HOLDER, rules: ['holders'], callbackUrl: 'https://evil.example' }],
      ['explain', { account: HOLDER, rules: ['holders'], explain: true }],
    ];
    for (const [path, body] of wrong) {
      const answer = await send('POST', CHECK, page(shop.publishableId), body);
      const [issue] = answer.body.error?.details.issues ?? [];
      expect([body, answer.status, issue?.path]).toEqual([body, 400, path]);
    }
    const explained = await check({ ...page(shop.publishableId), prefer: 'explain, handling=lenient' });
    expect(explained.body).toEqual({ roles: [{ id: 'holder', granted: true }] });
    const solana = await check(page(shop.publishableId), 'So11111111111111111111111111111111111111112');
    expect(solana.body.roles).toEqual([{ id: 'holder', granted: false }]);
  });

  it('publishable ids: published rules are validated, replaced as a whole and for the key of their application only', async () => {
    const shop = await newShop();
    const other = await newShop();
    await setLimits(shop, 1_000, 100_000);
    const rule = { type: 'NATIVE', chainId: chain.chainId, minToken: '1', roleId: 'a' };
    const wrong: [string, unknown[]][] = [
      ['rules', Array.from({ length: 51 }, (_, at) => ({ name: `r${String(at)}`, rule }))],
      ['rules', [1, 2].map(() => ({ name: 'twice', rule }))],
      ['rules.0.name', [{ name: 'a b', rule }]],
      ['rules.0.rule.chainId', [{ name: 'a', rule: { ...rule, chainId: 424242 } }]],
      ['rules.0.rule.type', [{ name: 'a', rule: { ...rule, type: 'NONE' } }]],
      ['rules.0.more', [{ name: 'a', rule, more: 1 }]],
    ];
    for (const [path, rules] of wrong) {
      const answer = await publish(shop, rules);
      expect([answer.status, answer.body.error?.details.issues?.[0]?.path]).toEqual([400, path]);
    }
    const stolen = await publish({ clientId: shop.clientId, apiKey: other.apiKey });
    expect([stolen.status, stolen.code]).toEqual([404, 'client_not_found']);
    await publish(shop);
    expect((await publish(shop, [{ name: 'new', rule }])).status).toBe(200);
    expect((await check(page(shop.publishableId))).status).toBe(404);
    expect((await check(page(shop.publishableId), HOLDER, ['new'])).body.roles).toEqual([
      { id: 'a', granted: true },
    ]);
  });

  it('T398: publishable ids: take half of the second of a tenant and five requests of an address, and nothing of its keys', async () => {
    const shop = await newShop();
    await publish(shop);
    const chains = (headers: Record<string, string>) => send('GET', '/chains', headers);
    const key = { 'x-api-key': shop.apiKey };
    await sleep(1_010);
    const flood = async (headers: () => Record<string, string>) =>
      measureBurst(() => Promise.all(Array.from({ length: 60 }, () => chains(headers()))));
    const device = page(shop.publishableId);
    const { result: fromOne, windows: seconds } = await flood(() => device);
    const admitted = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;
    expect(admitted(fromOne)).toBeGreaterThanOrEqual(5);
    expect(admitted(fromOne)).toBeLessThanOrEqual(5 * seconds);
    expect(fromOne.map(({ code }) => code)).toContain('address_limit_exceeded');
    await sleep(1_010);
    const { result: all, windows } = await measureBurst(async () => {
      const pages = flood(() => page(shop.publishableId));
      const keys = Promise.all(Array.from({ length: 10 }, () => chains(key)));
      return { pages: (await pages).result, keys: await keys };
    });
    expect(all.keys.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(admitted(all.pages)).toBeGreaterThanOrEqual(5);
    expect(admitted(all.pages)).toBeLessThanOrEqual(5 * windows);
    expect(all.pages.map(({ code }) => code)).toContain('second_limit_exceeded');
  });

  it('T398: publishable ids: leave the month of a tenant to its keys when their half is used up', async () => {
    const shop = await newShop();
    await setLimits(shop, 1_000, 20);
    const chains = (headers: Record<string, string>) => send('GET', '/chains', headers);
    const pages = await Promise.all(Array.from({ length: 30 }, () => chains(page(shop.publishableId))));
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(pages.map(({ code }) => code)).toContain('month_limit_exceeded');
    const keys = await Promise.all(Array.from({ length: 25 }, () => chains({ 'x-api-key': shop.apiKey })));
    expect(keys.filter(({ status }) => status === 200)).toHaveLength(20);
  });

  it('T399: publishable ids: are refused within five seconds after they are revoked, and others go on', async () => {
    const shop = await newShop();
    await publish(shop);
    const second = (await askAs(shop.userId, 'POST', shop.path, { origins: [SHOP] })).body;
    const otherId = String(second['publishableId']);
    expect((await check(page(shop.publishableId))).status).toBe(200);
    expect((await check(page(otherId))).status).toBe(200);
    const stranger = await askAs(`user_${randomUUID()}`, 'DELETE', `${shop.path}/${shop.id}`);
    expect([stranger.status, stranger.code]).toEqual([404, 'client_not_found']);
    const foreign = await newShop();
    const crossed = await askAs(shop.userId, 'DELETE', `${shop.path}/${foreign.id}`);
    expect([crossed.status, crossed.code]).toEqual([404, 'publishable_id_not_found']);
    expect((await askAs(shop.userId, 'DELETE', `${shop.path}/${shop.id}`)).status).toBe(200);
    const revokedAt = Date.now();
    // Slower than five a second, which an address may ask.
    while ((await check(page(shop.publishableId))).status === 200 && Date.now() - revokedAt < 10_000)
      await sleep(300);
    expect((await check(page(shop.publishableId))).status).toBe(401);
    expect(Date.now() - revokedAt).toBeLessThan(5_000);
    await sleep(1_010);
    expect((await check(page(otherId))).status).toBe(200);
    const { items } = (await askAs(shop.userId, 'GET', shop.path)).body;
    expect(items?.map(({ publishableId }) => publishableId)).toEqual([otherId]);
    const unknown = createClientCredential('gthp', 'test').text;
    expect((await check(page(unknown))).status).toBe(401);
  });

  it('publishable ids: are made with valid origins, ten for an application, by its owner', async () => {
    const shop = await newShop();
    const origins = [
      [],
      ['null'],
      ['*'],
      ['shop.example'],
      ['https://shop.example/'],
      ['http://shop.example'],
    ];
    for (const wrong of origins) {
      const answer = await askAs(shop.userId, 'POST', shop.path, { origins: wrong });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
    const many = await Promise.all(
      Array.from({ length: 12 }, () => askAs(shop.userId, 'POST', shop.path, { origins: [SHOP] })),
    );
    expect(many.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(many.map(({ code }) => code)).toContain('publishable_id_limit_exceeded');
    const stranger = await askAs(`user_${randomUUID()}`, 'GET', shop.path);
    expect(stranger.status).toBe(404);
  });
});
