import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PrincipalIssuer, type Principal } from '@app/auth';
import type { HostileNode } from '../support/hostile-node.js';
import { uniformNode } from '../support/uniform-node.js';
import { until } from '../support/until.js';
import { CommunityRows } from './community-rows.js';
import { client, GatingApp } from './gating-app.js';
import { asUser } from './roles-world.js';

const CHECK_ROLES = '/access-control/check-roles';
/** A query sends a request through Express' router and Nest's chain. */
const byRouter = (path: string): string => `${path}?routed`;
const contractAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const account = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const rule = { type: 'ERC721', chainId: 31_337, contractAddress, roleId: 'a' };
const user: Principal = { kind: 'caller', user: { id: 'u' }, scopes: [] };

let node: HostileNode;
let gating: GatingApp;
let communities: CommunityRows;
let communityId: string;

beforeAll(async () => {
  node = await uniformNode(2n);
  gating = await GatingApp.start({
    RPC_URL_31337: node.url,
    GATEWAY_ALIASES: JSON.stringify({ queryValues: { type: { nft: 'ERC721' } } }),
  });
  communities = new CommunityRows(gating.databaseUrl);
  communityId = await communities.create({
    roles: ['a'],
    rules: [rule],
    members: ['user_1'],
  });
}, 60_000);

afterAll(async () => {
  await communities.close();
  await gating.stop();
  await node.stop();
});

interface Sent {
  readonly body?: unknown;
  /** Sent as it is instead of `body`. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly as?: Principal;
  readonly operation?: string;
}

async function send(
  path: string,
  { body, text, headers, as = client, operation = 'AccessControlController.checkRoles' }: Sent,
  method = 'POST',
) {
  const issuer = new PrincipalIssuer(gating.signingKey('gateway'));
  const token = await issuer.issueToken(as, 'token-gating', operation);
  const response = await fetch(gating.app.url + path, {
    method,
    ...(method === 'POST' && { body: text ?? JSON.stringify(body) }),
    headers: { [PRINCIPAL_HEADER]: token, 'Content-Type': 'application/json', ...headers },
  });
  const requestId = response.headers.get('x-request-id') ?? '';
  return {
    requestId,
    status: response.status,
    headers: [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
    body: (await response.text()).replaceAll(requestId, '<request id>'),
  };
}

/** The line that the app has logged of a request, without what differs by request. */
async function findLogLine(requestId: string): Promise<unknown> {
  let found: string | undefined;
  await until('the request is logged', () => {
    found = gating.app.logLines.find(
      (line) => line.includes(requestId) && line.includes('"message":"request"'),
    );
    return Promise.resolve(found !== undefined);
  });
  const line = JSON.parse(found ?? '') as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(line).filter(([name]) => !['time', 'requestId', 'ms'].includes(name)),
  );
}

async function expectSameAnswers(path: string, sent: Sent, method: string, status: number): Promise<void> {
  const [direct, routed] = [await send(path, sent, method), await send(byRouter(path), sent, method)];
  expect(direct.status).toBe(status);
  expect({ ...direct, requestId: '' }).toEqual({ ...routed, requestId: '' });
  expect(await findLogLine(direct.requestId)).toEqual(await findLogLine(routed.requestId));
}

describe('checkRoles', () => {
  it.each<[string, number, Sent]>([
    ['a valid check', 200, { body: { account, rules: [rule, { ...rule, roleId: 'b', minToken: '3' }] } }],
    ['a lenient check', 200, { body: { account, rules: [rule] }, headers: { Prefer: 'handling=lenient' } }],
    ['an explained check', 200, { body: { account, rules: [rule] }, headers: { Prefer: 'explain' } }],
    ['an alias of a value', 200, { body: { account, rules: [{ ...rule, type: 'nft' }] } }],
    ['an unknown field', 400, { body: { account, rules: [rule], colour: 1 } }],
    [
      'wrong rules',
      400,
      { body: { account, rules: [{ ...rule, type: 'ERC20', tokenId: '1' }, { type: 'x' }] } },
    ],
    ['a chain without a node', 400, { body: { account, rules: [{ ...rule, chainId: 1 }] } }],
    ['no JSON', 400, { text: '{' }],
    ['a repeated name', 400, { text: '{"account":"a","account":"a"}' }],
    ['a forbidden name', 400, { text: '{"__proto__":{}}' }],
    ['an empty body', 400, { text: '' }],
    ['another media type', 415, { text: 'a', headers: { 'Content-Type': 'text/plain' } }],
    ['a body that is too large', 413, { text: ' '.repeat(1024 * 1024 + 1) }],
    ['no client application, before a wrong body', 403, { body: {}, as: user }],
    ['a wrong key, before a wrong body', 400, { body: {}, headers: { 'Idempotency-Key': 'a b' } }],
    ['a user id while identity is away', 503, { body: { account: 'user_1', rules: [rule] } }],
    ['a token of another operation', 403, { body: {}, operation: 'AccessControlController.getRoles' }],
    ['a wrong token, before its body is read', 401, { text: '{', headers: { [PRINCIPAL_HEADER]: 'x' } }],
    ['an app instead of a caller', 403, { body: {}, as: { kind: 'service', name: 'gateway' } }],
  ])('checkRoles: answers and logs %s on its direct route as by the router', async (_, status, sent) => {
    await expectSameAnswers(CHECK_ROLES, sent, 'POST', status);
  });

  it('checkRoles: is accepted for later on its direct route', async () => {
    const sent = { body: { account, rules: [rule], async: true }, headers: { 'Idempotency-Key': 'once' } };
    const [direct, routed] = [await send(CHECK_ROLES, sent), await send(byRouter(CHECK_ROLES), sent)];
    expect(direct.status).toBe(200);
    expect(JSON.parse(direct.body)).toEqual(JSON.parse(routed.body));
    const conflict = { ...sent, body: { account, rules: [rule, rule], async: true } };
    expect((await send(CHECK_ROLES, conflict)).status).toBe(409);
  });
});

describe('getRoles', () => {
  const member = { as: asUser('user_1'), operation: 'AccessControlController.getRoles' };
  const lenient = { Prefer: 'handling=lenient' };

  it.each<[string, number, string, Sent]>([
    ['a member while identity is away', 503, 'user_1', member],
    ['a lenient request', 200, 'user_1', { ...member, headers: lenient }],
    ['an explained request', 200, 'user_1', { ...member, headers: { Prefer: 'handling=lenient, explain' } }],
    ['a member whom the user may not see', 404, 'user_2', member],
    ['an id that is too long', 400, `user_${'x'.repeat(256)}`, member],
    ['a token of another operation', 403, 'user_1', { ...member, operation: 'CommunityController.get' }],
    ['a wrong token', 401, 'user_1', { ...member, headers: { [PRINCIPAL_HEADER]: 'x' } }],
    ['an app instead of a caller', 403, 'user_1', { ...member, as: { kind: 'service', name: 'gateway' } }],
  ])(
    'getRoles: answers and logs %s on its direct route as by the router',
    async (_, status, userId, sent) => {
      await expectSameAnswers(`/access-control/${communityId}/${userId}/roles`, sent, 'GET', status);
    },
  );

  it('getRoles: leaves the result of a check whose id is "roles" to its own operation', async () => {
    const sent = { operation: 'AccessControlController.getCheckRolesResponse' };
    const { status, body } = await send(`${CHECK_ROLES}/responses/roles`, sent, 'GET');
    expect([status, body]).toEqual([404, expect.stringContaining('check_not_found')]);
  });
});
