import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { applied, CommandLineTool, createTool } from './command-line-tool.js';
import { KillingProxy } from './killing-proxy.js';
import { OAuthBrowser } from './oauth-browser.js';
import { OAuthWorld } from './oauth-world.js';

interface Named {
  id?: string;
  clientId?: string;
  name?: string;
  [field: string]: unknown;
}

const CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const WAITING = 75;
const ATTACH =
  'INSERT INTO token_gating.community_clients (community_id, client_id, tenant_id) VALUES ($1, $2, $2)';

let world: OAuthWorld;
let clientId: string;
let operator: OAuthBrowser;
let tool: CommandLineTool;
const tools: CommandLineTool[] = [];

beforeAll(async () => {
  const account = new OAuthBrowser('').wallet;
  world = await OAuthWorld.start(
    { OPERATOR_ACCOUNTS: `eip155:1:${account.address}` },
    { rpcUrls: { 1: 'http://127.0.0.1:1' } },
  );
  operator = new OAuthBrowser(world.origin);
  await operator.signIn('/login', account);
  clientId = await createTool(world);
});

afterAll(() => world.stop());

/** The command line of a new user who is signed in. */
async function newTool(browser?: OAuthBrowser): Promise<CommandLineTool> {
  const made = new CommandLineTool(world, clientId, browser ?? (await world.user()));
  tools.push(made);
  await made.signIn();
  return made;
}

beforeEach(async () => {
  tool = await newTool();
});

afterEach(() => {
  for (const made of tools.splice(0)) made.remove();
});

async function call(of: CommandLineTool, method: string, path: string, body?: object): Promise<Response> {
  return fetch(world.origin + path, {
    method,
    headers: { authorization: `Bearer ${of.session.accessToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const list = async (of: CommandLineTool, path: string): Promise<Named[]> =>
  ((await (await call(of, 'GET', path)).json()) as { items: Named[] }).items;

const applications = (of: CommandLineTool): Promise<Named[]> => list(of, '/client-applications');
const communities = (of: CommandLineTool): Promise<Named[]> =>
  list(of, '/account/administrated-communities?limit=100');

const keysOf = (of: CommandLineTool, { clientId: id = '' }: Named): Promise<Named[]> =>
  list(of, `/client-applications/${id}/api-keys`);

const rule = { roleId: 'whale', type: 'ERC721', chainId: 1, contractAddress: CONTRACT };

const SHOP = {
  name: 'Shop',
  redirectUris: ['https://shop.example/cb'],
  scopes: ['token-gating', 'community:read'],
  secretFile: 'shop.env',
  keys: [{ name: 'Server' }, { name: 'Nightly job', scopes: ['token-gating'], secretName: 'NIGHTLY_KEY' }],
  callbackEndpoints: [{ url: 'https://shop.example/events', events: ['role.granted', 'role.revoked'] }],
  publishedRules: [{ name: 'holders', rule }],
};

const APES = {
  name: 'Apes',
  visibility: 'public',
  applications: ['Shop'],
  roles: [
    { id: 'whale', name: 'Whale', color: 3_447_003 },
    { id: 'fish', name: 'Fish' },
  ],
  rules: [rule],
};

const approve = async (name: string, of: CommandLineTool): Promise<void> => {
  const found = (await applications(of)).find((one) => one.name === name);
  await world.suite.clientCommand(['approve', found?.clientId ?? '']);
};

it('client apply: makes everything that a file declares, waits for the approval, and a second run changes nothing', async () => {
  const declared = { applications: [SHOP], communities: [APES] };
  const first = await applied(tool, declared, [], WAITING);
  expect(first.waiting.join('\n')).toContain('application "Shop": an operator\'s approval of token-gating');
  const secrets = tool.secrets('shop.env');
  expect(Object.keys(secrets).sort()).toEqual([
    'API_KEY_SERVER',
    'CLIENT_ID',
    'CLIENT_SECRET',
    'NIGHTLY_KEY',
  ]);
  expect(statSync(join(tool.folder, 'shop.env')).mode & 0o777).toBe(0o600);

  await approve('Shop', tool);
  const second = await applied(tool, declared);
  expect(second.steps.map(({ what }) => what)).toEqual([
    'callback endpoint https://shop.example/events of application "Shop"',
    'rules of community "Apes"',
    'published rules of application "Shop"',
  ]);
  expect(tool.secrets('shop.env')).toMatchObject({
    ...secrets,
    CALLBACK_SECRET_SHOP_EXAMPLE_EVENTS: expect.stringMatching(/^whsec_/),
  });

  const third = await applied(tool, declared);
  expect([third.steps, third.unchanged.length]).toEqual([[], 10]);
  const [shop] = await applications(tool);
  expect(shop).toMatchObject({ name: 'Shop', clientId: secrets['CLIENT_ID'], status: 'approved' });
  expect((await keysOf(tool, shop ?? {})).map(({ name }) => name)).toEqual(['Server', 'Nightly job']);
  const [apes] = await communities(tool);
  const rules = await (await call(tool, 'GET', `/communities/${apes?.id ?? ''}/rules`)).json();
  expect(rules).toEqual({ rules: [rule] });
  // The keys work.
  const path = `/client-applications/${secrets['CLIENT_ID'] ?? ''}/published-rules`;
  const headers = { 'x-api-key': secrets['NIGHTLY_KEY'] ?? '' };
  expect(await (await fetch(world.origin + path, { headers })).json()).toEqual({
    rules: SHOP.publishedRules,
  });
});

it('client apply: prints no secret', async () => {
  const { stdout, stderr, code } = await tool.apply({ applications: [{ ...SHOP, scopes: [] }] });
  expect(code).toBe(WAITING);
  for (const secret of Object.values(tool.secrets('shop.env')).filter((text) => !text.startsWith('client_')))
    expect(stdout + stderr).not.toContain(secret);
});

it('client apply: a dry run says what it would do, and does nothing', async () => {
  const { steps } = await applied(tool, { applications: [SHOP], communities: [APES] }, ['--dry-run']);
  expect(steps.length).toBeGreaterThan(5);
  expect(new Set(steps.map(({ outcome }) => outcome))).toEqual(new Set(['planned']));
  expect([await applications(tool), await communities(tool)]).toEqual([[], []]);
  expect(existsSync(join(tool.folder, 'shop.env'))).toBe(false);
});

it('client apply: changes what the file says otherwise, and leaves what it does not name', async () => {
  const shop = { name: 'Shop', type: 'public', origins: ['https://shop.example'] };
  const apes = { name: 'Apes', visibility: 'public', network: 'local', roles: APES.roles };
  await applied(tool, { applications: [shop], communities: [apes] });
  const changed = await applied(tool, {
    applications: [{ name: 'Shop', redirectUris: ['https://shop.example/cb'] }],
    communities: [
      { name: 'Apes', visibility: 'members', network: null, roles: [{ id: 'whale', name: 'Leviathan' }] },
    ],
  });
  expect(changed.steps.map(({ action, what }) => `${action} ${what}`)).toEqual([
    'change application "Shop"',
    'change community "Apes"',
    'change role "Leviathan" of community "Apes"',
  ]);
  expect(changed.notInTheFile).toEqual(['role "Fish" (fish) of community "Apes"']);
  expect((await applications(tool))[0]).toMatchObject({
    origins: ['https://shop.example'],
    redirectUris: ['https://shop.example/cb'],
  });
  const [community] = await communities(tool);
  expect(community).toMatchObject({ visibility: 'members' });
  expect(community?.['network']).toBeUndefined();
  const roles = await list(tool, `/communities/${community?.id ?? ''}/roles`);
  expect(roles).toEqual([
    { id: 'whale', name: 'Leviathan', color: 3_447_003 },
    { id: 'fish', name: 'Fish' },
  ]);
});

it('client apply: deletes with --prune alone, and asks for --yes where it cannot be undone', async () => {
  const keys = [{ name: 'Server' }, { name: 'Old' }];
  const declared = {
    applications: [{ name: 'Shop', secretFile: 'shop.env', keys }],
    communities: [{ name: 'Apes', applications: ['Shop'], roles: APES.roles }],
  };
  await applied(tool, declared);
  const less = {
    applications: [{ name: 'Shop', secretFile: 'shop.env', keys: [{ name: 'Server' }] }],
    communities: [{ name: 'Apes', applications: [], roles: [{ id: 'whale', name: 'Whale' }] }],
  };
  expect((await applied(tool, less)).notInTheFile).toHaveLength(3);
  const refused = await tool.apply(less, ['--prune']);
  expect(refused.code).toBe(64);
  expect(refused.stderr).toContain('API key "Old" of application "Shop"');
  expect(refused.stderr).toContain('role "Fish"');
  const [shop] = await applications(tool);
  expect(await keysOf(tool, shop ?? {})).toHaveLength(2);
  const pruned = await applied(tool, less, ['--prune', '--yes']);
  expect(pruned.steps.map(({ action }) => action)).toEqual(['delete', 'delete', 'delete']);
  expect((await keysOf(tool, shop ?? {})).map(({ name }) => name)).toEqual(['Server']);
  expect(Object.keys(tool.secrets('shop.env')).sort()).toEqual([
    'API_KEY_SERVER',
    'CLIENT_ID',
    'CLIENT_SECRET',
  ]);
  // What the file does not name at all is nobody's to delete.
  expect((await applied(tool, { applications: [] }, ['--prune', '--yes'])).steps).toEqual([]);
  expect(await applications(tool)).toHaveLength(1);
});

it('client apply: asks for --yes before rules, approved scopes and endpoints go, and before an application of somebody else is detached', async () => {
  const declared = { applications: [SHOP], communities: [APES] };
  await applied(tool, declared, [], WAITING);
  await approve('Shop', tool);
  await applied(tool, declared);
  const [apes] = await communities(tool);
  await world.query(ATTACH, [apes?.id, 'client_of_somebody_else']);
  const less = {
    applications: [{ ...SHOP, scopes: ['community:read'], callbackEndpoints: [], publishedRules: undefined }],
    communities: [{ ...APES, rules: [] }],
  };
  const refused = await tool.apply(less, ['--prune']);
  expect(refused.code).toBe(64);
  for (const line of [
    'scopes of application "Shop": its keys',
    'callback endpoint https://shop.example/events of application "Shop": ',
    'application client_of_somebody_else of community "Apes": it is not yours',
    'rules of community "Apes": members',
  ])
    expect(refused.stderr).toContain(line);
  expect((await applied(tool, declared)).steps).toEqual([]);
  // The endpoint goes while the application has the scope that this needs.
  const { steps } = await applied(tool, less, ['--prune', '--yes']);
  expect(steps.map(({ action, what, outcome }) => [action, what, outcome])).toEqual([
    ['delete', 'callback endpoint https://shop.example/events of application "Shop"', 'done'],
    ['delete', 'application client_of_somebody_else of community "Apes"', 'done'],
    ['change', 'rules of community "Apes"', 'done'],
    ['change', 'scopes of application "Shop"', 'done'],
  ]);
  expect((await applied(tool, less, ['--prune'])).steps).toEqual([]);
});

it('client apply: asks for --yes before addresses and published rules go, and before a client secret ends that may be in use', async () => {
  const declared = { applications: [SHOP] };
  await applied(tool, declared, [], WAITING);
  await approve('Shop', tool);
  await applied(tool, declared);
  const less = { applications: [{ ...SHOP, redirectUris: [], publishedRules: [] }] };
  const refused = await tool.apply(less);
  expect(refused.code).toBe(64);
  for (const line of [
    'application "Shop": https://shop.example/cb stops working at once',
    'published rules of application "Shop": pages that name holders are refused',
  ])
    expect(refused.stderr).toContain(line);
  expect((await applied(tool, declared)).steps).toEqual([]);
  const { steps } = await applied(tool, less, ['--yes']);
  expect(steps.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['change', 'done'],
    ['change', 'done'],
  ]);
  rmSync(join(tool.folder, 'shop.env'));
  const lost = await tool.apply(less, ['--replace-lost']);
  expect([lost.code, lost.stderr]).toEqual([
    64,
    expect.stringContaining('client secret of application "Shop"'),
  ]);
  expect(existsSync(join(tool.folder, 'shop.env'))).toBe(false);
});

it('T433: client apply: changes nothing where a file of secrets cannot be used', async () => {
  await applied(tool, { applications: [SHOP] }, [], WAITING);
  chmodSync(join(tool.folder, 'shop.env'), 0o644);
  const { code, stderr } = await tool.apply({
    applications: [
      { name: 'First', type: 'public' },
      { name: 'Second', secretFile: 'shop.env' },
    ],
  });
  expect([code, stderr]).toEqual([65, expect.stringContaining('other users of this machine may read it')]);
  expect(await applications(tool)).toHaveLength(1);
});

it('client apply: says that the end of a key cannot change, and wants the end of a new one in the future', async () => {
  const withEnd = (name: string, expiresTime: string) => ({
    applications: [{ name: 'Shop', scopes: [], secretFile: 'shop.env', keys: [{ name, expiresTime }] }],
  });
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const end = inDays(10);
  await applied(tool, withEnd('Job', end));
  const inAnotherZone = end.replace('Z', '+00:00');
  expect(await applied(tool, withEnd('Job', inAnotherZone))).toMatchObject({ steps: [], notes: [] });
  const later = await tool.apply(withEnd('Job', inDays(20)));
  expect([later.code, later.stderr]).toEqual([65, expect.stringContaining('cannot change')]);
  for (const sooner of [inDays(5), inDays(-5)])
    expect((await applied(tool, withEnd('Job', sooner))).notes.join()).toContain('later than the file says');
  const past = await tool.apply(withEnd('Other', inDays(-5)));
  expect([past.code, past.stderr]).toEqual([65, expect.stringContaining('must be in the future')]);
});

it('T433: client apply: refuses a name that two objects have, names both, and changes nothing', async () => {
  for (const name of ['Shop', 'Shop']) await call(tool, 'POST', '/client-applications', { name });
  const ids = (await applications(tool)).map((one) => one.clientId ?? '');
  const declared = {
    applications: [
      { name: 'Other', type: 'public' },
      { name: 'Shop', implicit: true },
    ],
  };
  const { code, stderr } = await tool.apply(declared);
  expect(code).toBe(65);
  for (const id of ids) expect(stderr).toContain(id);
  expect(await applications(tool)).toHaveLength(2);
  const chosen = { applications: [{ name: 'Store', clientId: ids[1], implicit: true }] };
  await applied(tool, chosen);
  expect((await applications(tool)).map(({ name }) => name)).toEqual(['Shop', 'Store']);
});

it('T433: client apply: changes nothing where a part of the file is wrong, and names field and line', async () => {
  const text =
    'applications:\n- name: Shop\n  type: public\n- name: Bad\n  redirectUris:\n  - http://shop.example/cb\n';
  const { code, stderr } = await tool.apply(text);
  expect(code).toBe(65);
  expect(stderr).toContain('applications.yaml:6: applications[1].redirectUris[0]: must be https');
  expect(await applications(tool)).toEqual([]);
});

it('T434: client apply: an application and a community of the same name of somebody else stay as they are', async () => {
  const victim = await newTool();
  const declared = {
    applications: [{ name: 'Shop', type: 'public', redirectUris: ['https://shop.example/cb'] }],
    communities: [{ name: 'Apes', visibility: 'public', roles: APES.roles, rules: [] }],
  };
  await applied(victim, declared);
  const before = [await applications(victim), await communities(victim)];
  const other = {
    applications: [{ name: 'Shop', type: 'public', redirectUris: ['https://thief.example/cb'] }],
    communities: [{ name: 'Apes', visibility: 'hidden', roles: [], rules: [] }],
  };
  await applied(tool, other, ['--prune', '--yes']);
  expect([await applications(victim), await communities(victim)]).toEqual(before);
  const [shop, apes] = [(await applications(victim))[0], (await communities(victim))[0]];
  const [own] = await communities(tool);
  const attachment = `/communities/${own?.id ?? ''}/client-applications/${shop?.clientId ?? ''}`;
  expect((await call(tool, 'PUT', attachment, {})).status).toBe(404);
  const named = { applications: [{ name: 'Shop', clientId: shop?.clientId }] };
  const byId = { communities: [{ name: 'Apes', communityId: apes?.id, visibility: 'hidden' }] };
  for (const stolen of [named, byId]) expect((await tool.apply(stolen)).code).toBe(65);
  expect([await applications(victim), await communities(victim)]).toEqual(before);
});

it('T435: client apply: a token without the right changes nothing, and the exit code says so', async () => {
  const env = { GATEHOUSE_TOKEN: 'not-a-token' };
  const declared = { applications: [{ name: 'Shop', type: 'public' }] };
  expect((await tool.apply(declared, [], env)).code).toBe(77);
  const other = new CommandLineTool(world, await createTool(world, ['community:read']), tool.browser);
  tools.push(other);
  expect((await other.apply(declared)).code).toBe(77);
  const { address, child, result } = await other.beginLogin();
  expect((await other.decide(address)).searchParams.get('error')).toBe('invalid_scope');
  child.kill();
  await result;
  const approving = {
    applications: [{ ...SHOP, callbackEndpoints: [], publishedRules: undefined, approve: true }],
  };
  const { waiting } = await applied(tool, approving, [], WAITING);
  expect(waiting.join('\n')).toContain('your session may not approve it');
  expect((await applications(tool))[0]).toMatchObject({
    status: 'pending',
    approvedScopes: ['community:read'],
  });
});

it('client apply: an operator approves within the same run', async () => {
  const own = await newTool(operator);
  const declared = { applications: [{ ...SHOP, approve: true }], communities: [APES] };
  const { waiting } = await applied(own, declared);
  expect(waiting).toEqual([]);
  expect((await applied(own, declared)).steps).toEqual([]);
});

it('T436: client apply: three runs at the same time make everything once, with secrets that work', async () => {
  const declared = {
    applications: [{ ...SHOP, callbackEndpoints: [], publishedRules: undefined }],
    communities: [{ ...APES, rules: [] }],
  };
  const args = tool.applyArguments(declared);
  const runs = await Promise.all([1, 2, 3].map(() => tool.run(args)));
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [WAITING, '']));
  const [all, owned] = [await applications(tool), await communities(tool)];
  expect([all.length, owned.length]).toEqual([1, 1]);
  expect((await keysOf(tool, all[0] ?? {})).map(({ name }) => name).sort()).toEqual([
    'Nightly job',
    'Server',
  ]);
  const secrets = tool.secrets('shop.env');
  expect(secrets['CLIENT_ID']).toBe(all[0]?.clientId);
  for (const name of ['API_KEY_SERVER', 'NIGHTLY_KEY']) {
    const path = `/client-applications/${secrets['CLIENT_ID'] ?? ''}/published-rules`;
    const headers = { 'x-api-key': secrets[name] ?? '' };
    // The key is known, and the application has no approval yet.
    expect((await fetch(world.origin + path, { headers })).status).toBe(403);
  }
  const again = await applied(tool, declared, [], WAITING);
  expect([again.steps, again.notes]).toEqual([[], []]);
});

it('T437: client apply: killed after any of its changes, a further run goes on, and makes nothing twice', async () => {
  const declared = {
    applications: [{ ...SHOP, scopes: [], callbackEndpoints: [], publishedRules: undefined }],
    communities: [{ ...APES, rules: [] }],
  };
  for (let count = 1; ; count++) {
    const own = await newTool();
    const proxy = await KillingProxy.start(world.origin, count);
    const token = own.session.accessToken;
    const run = own.start(own.applyArguments(declared), {
      GATEHOUSE_URL: proxy.origin,
      GATEHOUSE_TOKEN: token,
    });
    proxy.kill = () => run.child.kill('SIGKILL');
    await run.result;
    await proxy.stop();
    await applied(own, declared, ['--replace-lost', '--yes']);
    const [all, owned] = [await applications(own), await communities(own)];
    expect([count, all.length, owned.length]).toEqual([count, 1, 1]);
    const secrets = own.secrets('shop.env');
    expect([count, ...Object.keys(secrets).sort()]).toEqual([
      count,
      'API_KEY_SERVER',
      'CLIENT_ID',
      'CLIENT_SECRET',
      'NIGHTLY_KEY',
    ]);
    const last = await applied(own, declared);
    expect([count, last.steps, last.notes]).toEqual([count, [], []]);
    if (!proxy.hasKilled) break;
  }
});

it('T437: client apply: a run with --replace-lost that is killed ends no secret that is in use', async () => {
  const declared = {
    applications: [{ name: 'Shop', scopes: [], secretFile: 'shop.env', keys: [{ name: 'Server' }] }],
  };
  const isKnown = async ({
    CLIENT_ID = '',
    CLIENT_SECRET = '',
  }: Record<string, string>): Promise<boolean> => {
    const application = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, ownerId: '', apiKey: '' };
    return (await world.introspect(application, 'unknown'))['active'] === false;
  };
  // The first change replaces the client secret, and the second the key.
  for (const count of [1, 2]) {
    const own = await newTool();
    await applied(own, declared);
    const inUse = own.secrets('shop.env');
    const file = join(own.folder, 'shop.env');
    rmSync(file);
    const proxy = await KillingProxy.start(world.origin, count);
    const env = { GATEHOUSE_URL: proxy.origin, GATEHOUSE_TOKEN: own.session.accessToken };
    const run = own.start(own.applyArguments(declared, ['--replace-lost', '--yes']), env);
    proxy.kill = () => run.child.kill('SIGKILL');
    await run.result;
    await proxy.stop();
    expect(proxy.hasKilled).toBe(true);
    await applied(own, declared, ['--replace-lost', '--yes']);
    const replaced = own.secrets('shop.env');
    expect([count, await isKnown(inUse), await isKnown(replaced)]).toEqual([count, true, true]);
    expect(replaced).not.toMatchObject({ CLIENT_SECRET: inUse['CLIENT_SECRET'] });
    const hints = (await keysOf(own, { clientId: inUse['CLIENT_ID'] ?? '' })).map(({ hint }) => String(hint));
    const isListed = (key = ''): boolean => hints.some((hint) => key.startsWith(hint.split('…')[0] ?? '-'));
    expect([hints.length, isListed(inUse['API_KEY_SERVER']), isListed(replaced['API_KEY_SERVER'])]).toEqual([
      2,
      true,
      true,
    ]);
  }
});
