import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deriveUserId } from '@app/auth';
import { type Address, encodeAbiParameters, type Hex, namehash, pad } from 'viem';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { selfSigned } from '../support/self-signed.js';
import { until } from '../support/until.js';
import { newKey } from './linking-world.js';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

/** A request to a gateway ends after this time (gateway-reader.ts). */
const GATEWAY_TIMEOUT_MS = 2_000;
const GATEWAY_HOST = '127.0.0.1';
/** Listens too, and is not among the networks in which gateways may be. */
const PRIVATE_HOST = '127.0.0.2';

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

interface User {
  readonly id: string;
  readonly address: Address;
  readonly account: string;
}

let chain: LocalChain;
let ens: DeployedContract;
let world: SignInWorld;
let folder: string;
const gateways: Server[] = [];
const answers = new Map<string, Answer>();
const asked: string[] = [];

async function listen(host: string, tls: ReturnType<typeof selfSigned>): Promise<string> {
  const server = createServer(tls, (request, response) => {
    const path = (request.url ?? '').split('/')[1] ?? '';
    void text(request).then((body) => {
      asked.push(`${host}/${path}`);
      answers.get(path)?.(response, request, body);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  gateways.push(server);
  return `https://${host}:${(server.address() as AddressInfo).port}`;
}

let environment: Record<string, string>;
let origins: Record<'allowed' | 'forbidden', string>;

beforeAll(async () => {
  chain = await LocalChain.start();
  ens = await chain.deploy('DemoEns');
  const { address: resolver } = await chain.deploy('DemoUniversalResolver', [ens.address]);
  const tls = selfSigned(GATEWAY_HOST, PRIVATE_HOST);
  origins = { allowed: await listen(GATEWAY_HOST, tls), forbidden: await listen(PRIVATE_HOST, tls) };
  folder = await mkdtemp(join(tmpdir(), 'ens-'));
  await writeFile(join(folder, 'ca.pem'), tls.cert);
  environment = {
    ENS_CHAIN_ID: String(chain.chainId),
    ENS_UNIVERSAL_RESOLVER: resolver,
    ENS_GATEWAY_ALLOW_CIDRS: `${GATEWAY_HOST}/32`,
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    DATABASE_POOL_SIZE: '10',
  };
  world = await SignInWorld.start(environment);
});

afterAll(async () => {
  await world.stop();
  for (const server of gateways) {
    server.closeAllConnections();
    server.close();
  }
  await chain.stop();
  await rm(folder, { recursive: true });
});

const short = ({ address }: User) => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** @param toKey the platform user id of the account; a plain account unless said otherwise */
async function newUser(toKey = (address: string) => address): Promise<User> {
  const { address } = newKey();
  const key = toKey(address.toLowerCase());
  const id = deriveUserId('ethereum', key);
  const insert = `INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, 'ethereum', $2)`;
  await queryDatabase(world.database.url, insert, [id, key]);
  return { id, address, account: `eip155:1:${address}` };
}

/** The reverse record. */
async function callItself({ address: account }: User, name: string): Promise<void> {
  await chain.setNativeBalance(account, 10n ** 18n);
  await chain.client.impersonateAccount({ address: account });
  const hash = await chain.client.writeContract({ ...ens, functionName: 'setName', args: [name], account });
  await chain.client.waitForTransactionReceipt({ hash });
}

/** The forward record. */
const pointTo = (name: string, { address }: User) => chain.send(ens, 'setAddr', [namehash(name), address]);

async function named(name: string): Promise<User> {
  const user = await newUser();
  await callItself(user, name);
  await pointTo(name, user);
  return user;
}

/** A user whose name is at these gateways. */
async function namedOffchain(name: string, urls: readonly string[]): Promise<User> {
  const user = await newUser();
  await callItself(user, name);
  const { address } = await chain.deploy('OffchainEnsResolver', [urls]);
  await chain.send(ens, 'setResolver', [namehash(name), address]);
  return user;
}

async function shownNameOf({ id, account }: User, clientId = 'client_a'): Promise<string | undefined> {
  const ask = () =>
    world.identity.request('POST', '/oauth2/userinfo', {
      kind: 'caller',
      client: { id: clientId, ownerId: clientId, plan: 'free' },
      user: { id, account },
      scopes: ['openid', 'user:read'],
    });
  let response = await ask();
  // On a busy machine the app, which has just started, may not get a connection to its database in time.
  for (let retries = 3; response.status === 503 && retries > 0; retries -= 1) {
    await sleep(1_000);
    response = await ask();
  }
  expect(response.status).toBe(200);
  return ((await response.json()) as { preferred_username?: string }).preferred_username;
}

/** A look-up may take longer than its caller waits, and is repeated a minute after it failed, as on a busy machine. */
const waitForName = (user: User, name: string, clientId?: string) =>
  until(`the user is ${name}`, async () => (await shownNameOf(user, clientId)) === name, 90_000);

/** A look-up found no name. */
async function expectNoName(user: User): Promise<void> {
  await until('the look-up is over', async () => {
    expect(await shownNameOf(user)).toBe(short(user));
    return (await storedName(user)).length > 0;
  });
  expect(await storedName(user)).toEqual([{ name: null }]);
}

const storedName = async ({ id }: User) =>
  queryDatabase(world.database.url, 'SELECT name FROM identity.ens_names WHERE user_id = $1', [id]);

const send = (response: ServerResponse, data: Hex, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
};
/** What `addr(bytes32)` of a resolver returns. */
const encodeAddress = ({ address }: User) => encodeAbiParameters([{ type: 'address' }], [address]);

describe('ENS names', () => {
  it('preferred_username: is the username, else the ENS name that belongs to the account', async () => {
    const user = await named('ada.eth');
    await waitForName(user, 'ada.eth');
    expect(await storedName(user)).toEqual([{ name: 'ada.eth' }]);
    await queryDatabase(world.database.url, `UPDATE identity.users SET username = 'ada' WHERE id = $1`, [
      user.id,
    ]);
    expect(await shownNameOf(user)).toBe('ada');
  });

  it('preferred_username: keeps an ENS name for an hour, and then follows the chain', async () => {
    const user = await named('early.eth');
    const other = await newUser();
    await waitForName(user, 'early.eth');
    await pointTo('early.eth', other);
    expect(await shownNameOf(user)).toBe('early.eth');
    const age = `UPDATE identity.ens_names SET checked_at = checked_at - interval '1 hour' WHERE user_id = $1`;
    await queryDatabase(world.database.url, age, [user.id]);
    await waitForName(user, short(user));
  });

  it('T283: preferred_username: is not an ENS name that belongs to another account, or to nobody', async () => {
    const victim = await named('vic.eth');
    const thief = await newUser();
    await callItself(thief, 'vic.eth');
    const dreamer = await newUser();
    await callItself(dreamer, 'nobody.eth');
    for (const user of [thief, dreamer]) await expectNoName(user);
    await waitForName(victim, 'vic.eth');
  });

  it.each([
    ['a capital letter', 'Bob.eth'],
    ['a Cyrillic letter among Latin ones', 'b\u043eb.eth'],
    ['a Greek letter among Latin ones', 'b\u03bfb.eth'],
    ['a zero-width joiner', 'bo\u200db.eth'],
    ['a direction override', 'bob\u202e.eth'],
    ['a full-width letter', '\uff42ob.eth'],
    ['a space', 'bob .eth'],
    ['markup', '<b>bob</b>.eth'],
    ['no dot, like a username', 'bob'],
    ['more than 64 characters', `${'b'.repeat(61)}.eth`],
  ])('T284: preferred_username: is not an ENS name with %s', async (_, name) => {
    await expectNoName(await named(name));
  });

  it('preferred_username: is the ENS name of a contract account on the chain of ENS only', async () => {
    const here = await newUser((address) => `eip155:${chain.chainId}:${address}`);
    const elsewhere = await newUser((address) => `eip155:10:${address}`);
    for (const [name, user] of [
      ['here.eth', here],
      ['elsewhere.eth', elsewhere],
    ] as const) {
      await callItself(user, name);
      await pointTo(name, user);
    }
    await waitForName(here, 'here.eth');
    expect(await shownNameOf(elsewhere)).toBe(short(elsewhere));
    expect(await storedName(elsewhere)).toEqual([]);
  });
});

describe('CCIP-Read of ENS names', () => {
  it('EnsNameReader: asks the gateway with GET and POST, and the second one where the first fails', async () => {
    const users = new Map<string, User>();
    const answerWith = (name: string) => (response: ServerResponse) => {
      const user = users.get(name);
      if (user) send(response, encodeAddress(user));
    };
    answers.set('get', answerWith('get.eth'));
    answers.set('post', answerWith('post.eth'));
    answers.set('away', (response) => response.writeHead(503).end());
    const templates = {
      'get.eth': [`${origins.allowed}/get/{sender}/{data}.json`],
      'post.eth': [`${origins.allowed}/away`, `${origins.allowed}/post`],
    };
    for (const [name, urls] of Object.entries(templates)) users.set(name, await namedOffchain(name, urls));
    for (const [name, user] of users) await waitForName(user, name);
  });

  it('T285: preferred_username: shows no name of a gateway that lies, and never fails', async () => {
    const victim = await named('wealthy.eth');
    const lies: Record<string, Answer> = {
      other: (response) => {
        send(response, encodeAddress(victim));
      },
      short: (response) => {
        send(response, '0x01');
      },
      dirty: (response) => {
        send(response, pad('0x01', { size: 32, dir: 'right' }));
      },
      huge: (response) => {
        send(response, `0x${'00'.repeat(64 * 1024)}`);
      },
      words: (response) => {
        response.end('{"data":"yes"}');
      },
      moved: (response) => response.writeHead(302, { location: `${origins.allowed}/other` }).end(),
      refused: (response) => response.writeHead(404).end('{}'),
    };
    for (const [path, answer] of Object.entries(lies)) {
      answers.set(path, answer);
      const user = await namedOffchain(`${path}.eth`, [`${origins.allowed}/${path}`]);
      expect([path, await shownNameOf(user)]).toEqual([path, short(user)]);
      await until(`${path} is asked`, () => asked.includes(`${GATEWAY_HOST}/${path}`));
      expect([path, await shownNameOf(user)]).toEqual([path, short(user)]);
    }
    await waitForName(victim, 'wealthy.eth');
  });

  it('T286: EnsNameReader: asks no private network, nothing but https, and no third gateway', async () => {
    const { port } = new URL(origins.allowed);
    const urls = {
      'private.eth': [`${origins.forbidden}/private`],
      'plain.eth': [`http://${GATEWAY_HOST}:${port}/plain`],
      'file.eth': ['file:///etc/passwd', 'x-batch-gateway:true2'],
      'third.eth': [`${origins.allowed}/away`, `${origins.allowed}/away`, `${origins.allowed}/third`],
    };
    for (const [name, gatewayUrls] of Object.entries(urls)) {
      const user = await namedOffchain(name, gatewayUrls);
      answers.set(name.replace('.eth', ''), (response) => {
        send(response, encodeAddress(user));
      });
      expect(await shownNameOf(user)).toBe(short(user));
    }
    expect(asked.filter((path) => /private|plain|third/.test(path))).toEqual([]);
  });

  it('T287: preferred_username: waits for no gateway that hangs, and asks it once a minute', async () => {
    const held: ServerResponse[] = [];
    answers.set('hang', (response) => held.push(response));
    const user = await namedOffchain('hang.eth', [`${origins.allowed}/hang`]);
    const other = await named('prompt.eth');
    const shown = await Promise.all([shownNameOf(user), waitForName(other, 'prompt.eth')]);
    await until('the gateway is asked', () => held.length > 0);
    // The node has not answered, and nobody waits for it.
    expect([shown[0], await shownNameOf(user)]).toEqual([short(user), short(user)]);
    expect([held.length, held[0]?.writableEnded]).toEqual([1, false]);
    for (const response of held) response.end();
  });

  it('T288: preferred_username: has room for the users of one application while names of another one hang', async () => {
    const held: ServerResponse[] = [];
    answers.set('stuck', (response) => held.push(response));
    const { address } = await chain.deploy('OffchainEnsResolver', [[`${origins.allowed}/stuck`]]);
    const name = 'stuck.eth';
    await chain.send(ens, 'setResolver', [namehash(name), address]);
    const users = await Promise.all(Array.from({ length: 40 }, () => newUser()));
    for (const user of users) await callItself(user, name);
    const other = await named('free.eth');
    const startedAt = Date.now();
    await Promise.all(users.map((user) => shownNameOf(user)));
    await waitForName(other, 'free.eth', 'client_b');
    expect(held.length).toBeGreaterThan(0);
    // Nobody has given up on them yet, so they are looked up still. On a busy machine their time may have ended meanwhile.
    if (Date.now() - startedAt < GATEWAY_TIMEOUT_MS)
      expect(held.some(({ destroyed }) => destroyed)).toBe(false);
    for (const response of held) response.end();
  });
});

it('ENS_LOOKUPS_PER_MINUTE: bounds what strangers with new wallets can have an instance ask its node', async () => {
  const shared = world;
  world = await SignInWorld.start({ ...environment, ENS_LOOKUPS_PER_MINUTE: '4' });
  try {
    const users: User[] = [];
    for (let number = 0; number < 8; number++) users.push(await named(`crowd${number}.eth`));
    // An application may use half of what is left.
    await until('two names are read', async () => {
      const shown = await Promise.all(users.map((user) => shownNameOf(user)));
      return shown.filter((name) => name?.endsWith('.eth')).length >= 2;
    });
    const shown = await Promise.all(users.map((user) => shownNameOf(user)));
    // The bucket fills again by one in 15 s.
    expect(shown.filter((name) => name?.endsWith('.eth')).length).toBeLessThan(5);
  } finally {
    await world.stop();
    world = shared;
  }
});

it('T289: preferred_username: is the shortened address while the node hangs', async () => {
  const users = [await named('sleepy.eth'), await named('dozy.eth')];
  await chain.pause();
  try {
    for (const user of users) expect(await shownNameOf(user)).toBe(short(user));
  } finally {
    chain.resume();
  }
});
