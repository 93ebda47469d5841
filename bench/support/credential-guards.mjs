// The gateway's own look at credentials, in a process by itself: real guards, and an identity that knows one of each.
import 'reflect-metadata';
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import pino from 'pino';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { importBuilt } from '../../scripts/build/import-built.mjs';
import { answerAsks } from './asks.mjs';

/** @import { ServiceContext } from '@app/service' */
/** @import { Request } from 'express' */
/** @typedef {{ name: string, value: string }} Header */
/** @typedef {{ kind: string, times: number }} Question */
/** @typedef {{ headers: Record<string, string>, rawHeaders: string[], requestContext?: { caller: unknown } }} StandIn what the guards read of a request */

const { createClientCredential, createSignInNonce, encryptAeToken, NONCE_PLACEHOLDER } =
  /** @type {typeof import('@app/auth')} */ (await importBuilt('libs/auth/src/index.js'));
const { formatSignInMessage } = /** @type {typeof import('@app/chain/sign-in')} */ (
  await importBuilt('libs/chain/src/sign-in/index.js')
);
const { MetricsService, ReadinessService } = /** @type {typeof import('@app/service')} */ (
  await importBuilt('libs/service/src/index.js')
);
const { gatewayConfigSchema } = /** @type {typeof import('../../apps/gateway/src/gateway.config.js')} */ (
  await importBuilt('apps/gateway/src/gateway.config.js')
);

const PUBLIC_URL = 'http://127.0.0.1:3000';
const CLIENT = {
  clientId: 'client_1',
  ownerId: 'owner_1',
  plan: 'enterprise',
  limits: { perSecond: 1_000_000, perMonth: 1_000_000_000 },
  scopes: ['token-gating'],
};
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ae = { kid: 'ae-key', key: randomBytes(32) };
const nonce = { kid: 'nonce123', key: randomBytes(32) };

const identityUrl = await startIdentity();
const { callers, authenticate } = await makeGuards();

/** The headers that a browser's fetch sends beside its credential. */
const OTHERS = Object.entries({
  host: 'api.gatehouse.example',
  connection: 'keep-alive',
  accept: 'application/json',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en-GB,en;q=0.9',
  origin: 'https://app.example',
  referer: 'https://app.example/',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'cross-site',
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36',
});

const apiKey = { name: 'X-API-Key', value: createClientCredential('gth', 'local').text };
/** @param {string} value */
const authorization = (value) => ({ name: 'Authorization', value });
/** @type {Record<string, Header[]>} */
const credentials = {
  'API key': [apiKey],
  Bearer: [authorization(`Bearer ${bearer()}`)],
  AE: [authorization(`AE ${aeToken()}`)],
  Ethereum: [authorization(`Ethereum ${await ethereum()}`)],
  'Bearer and API key': [authorization(`Bearer ${bearer()}`), apiKey],
};

answerAsks({
  kinds: () => Object.keys(credentials),
  /**
   * @param {Question} question
   * @returns {Promise<number>} nanoseconds of CPU for one look at a credential that was seen before
   */
  async look({ kind, times }) {
    const headers = credentials[kind] ?? [];
    await authenticate.check(asRequest(requestWith(headers)));
    return nanosecondsOf(times, () => {
      const request = requestWith(headers);
      request.requestContext = { caller: callers.get(asRequest(request)) };
      if (authenticate.check(asRequest(request)) !== true) throw new Error(`${kind} was not known`);
    });
  },
  /** What making the requests costs. @param {Question} question */
  empty: ({ kind, times }) => nanosecondsOf(times, () => requestWith(credentials[kind] ?? [])),
  /** A SHA-256 of 64 bytes, as a yardstick. @param {{ times: number }} question */
  sha256({ times }) {
    const text = 'x'.repeat(64);
    return nanosecondsOf(times, () => hash('sha256', text, 'base64'));
  },
});

/** @param {number} times @param {() => unknown} run */
function nanosecondsOf(times, run) {
  for (let round = 0; round < times / 10; round += 1) run();
  const before = process.cpuUsage();
  for (let round = 0; round < times; round += 1) run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / times;
}

/** @param {Header[]} headers @returns {StandIn} */
function requestWith(headers) {
  /** @type {[string, string][]} */
  const all = [...OTHERS];
  for (const { name, value } of headers) all.push([name, value]);
  return {
    headers: Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value])),
    rawHeaders: all.flat(),
  };
}

/** @param {StandIn} request */
const asRequest = (request) => /** @type {Request} */ (/** @type {unknown} */ (request));

async function startIdentity() {
  const { x, y } = pair.publicKey.export({ format: 'jwk' });
  /** @param {{ kid: string, key: Buffer }} secret */
  const secret = ({ kid, key }) => ({ kid, k: key.toString('base64url') });
  const access = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'access-key', x, y };
  const credential = { ...CLIENT, keyId: 'key_1', expiresAt: null };
  /** @type {Record<string, object>} */
  const answers = {
    '/internal/credentials': { asOf: 0, credential },
    '/internal/credentials/changes': {
      last: 0,
      hasMore: false,
      truncated: false,
      clientIds: [],
      revoked: [],
    },
    '/internal/credentials/revoked-tokens': { tokens: [], next: null },
    '/internal/client-plans': { asOf: 0, plans: [CLIENT] },
    '/internal/token-keys': { access: [access], ae: [secret(ae)], nonce: [secret(nonce)] },
  };
  const server = createServer((request, response) => {
    request.resume();
    response.end(JSON.stringify(answers[request.url?.split('?')[0] ?? '']));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}

async function makeGuards() {
  const { IdentityClient } =
    /** @type {typeof import('../../apps/gateway/src/credentials/identity-client.js')} */ (
      await importBuilt('apps/gateway/src/credentials/identity-client.js')
    );
  const { RevocationFeedSubscriber } =
    /** @type {typeof import('../../apps/gateway/src/credentials/revocation-feed-subscriber.js')} */ (
      await importBuilt('apps/gateway/src/credentials/revocation-feed-subscriber.js')
    );
  const { RevokedTokenStore } =
    /** @type {typeof import('../../apps/gateway/src/credentials/revoked-token-store.js')} */ (
      await importBuilt('apps/gateway/src/credentials/revoked-token-store.js')
    );
  const { TokenKeyCache } =
    /** @type {typeof import('../../apps/gateway/src/credentials/token-key-cache.js')} */ (
      await importBuilt('apps/gateway/src/credentials/token-key-cache.js')
    );
  const { VerifiedTokenCache } =
    /** @type {typeof import('../../apps/gateway/src/credentials/verified-token-cache.js')} */ (
      await importBuilt('apps/gateway/src/credentials/verified-token-cache.js')
    );
  const { ApiKeyService } =
    /** @type {typeof import('../../apps/gateway/src/credentials/api-key.service.js')} */ (
      await importBuilt('apps/gateway/src/credentials/api-key.service.js')
    );
  const { ClientPlanService } =
    /** @type {typeof import('../../apps/gateway/src/credentials/client-plan.service.js')} */ (
      await importBuilt('apps/gateway/src/credentials/client-plan.service.js')
    );
  const { ContractWalletSignatureService } =
    /** @type {typeof import('../../apps/gateway/src/credentials/contract-wallet-signature.service.js')} */ (
      await importBuilt('apps/gateway/src/credentials/contract-wallet-signature.service.js')
    );
  const { CallerCache } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/caller-cache.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/caller-cache.js')
    );
  const { ApiKeyStrategy } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/api-key.strategy.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/api-key.strategy.js')
    );
  const { BearerStrategy } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/bearer.strategy.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/bearer.strategy.js')
    );
  const { AeStrategy } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/ae.strategy.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/ae.strategy.js')
    );
  const { EthereumStrategy } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/ethereum.strategy.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/ethereum.strategy.js')
    );
  const { TokenVerificationService } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/token-verification.service.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/token-verification.service.js')
    );
  const { AuthenticateGuard } =
    /** @type {typeof import('../../apps/gateway/src/pipeline/authenticate/authenticate.guard.js')} */ (
      await importBuilt('apps/gateway/src/pipeline/authenticate/authenticate.guard.js')
    );
  const config = gatewayConfig();
  /** @type {unknown} */
  const parts = {
    logger: pino({ enabled: false }),
    metrics: new MetricsService('gateway'),
    readiness: new ReadinessService(),
  };
  const context = /** @type {ServiceContext} */ (parts);
  const identity = new IdentityClient(config);
  const feed = new RevocationFeedSubscriber(config, identity, context);
  const keys = new TokenKeyCache(identity, context);
  const tokens = new VerifiedTokenCache(feed, new RevokedTokenStore(feed, identity, config, context), keys);
  const store = new ApiKeyService(identity, feed, context);
  const plans = new ClientPlanService(identity, feed);
  const verification = new TokenVerificationService(
    tokens,
    new BearerStrategy(keys, config),
    new AeStrategy(keys, config),
    new EthereumStrategy(keys, new ContractWalletSignatureService(identity), config),
  );
  keys.onModuleInit();
  feed.onApplicationBootstrap();
  while (!feed.isTrusted || !keys.isTrusted) await new Promise((resolve) => setTimeout(resolve, 10));
  return {
    callers: new CallerCache(store, tokens, plans),
    authenticate: new AuthenticateGuard(new ApiKeyStrategy(store), verification, plans),
  };
}

function gatewayConfig() {
  return gatewayConfigSchema.parse({
    INTERNAL_SIGNING_KEY: JSON.stringify(makeSecrets(['gateway']).signing.gateway),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    PUBLIC_URL,
    IDENTITY_URL: identityUrl,
    TOKEN_GATING_URL: identityUrl,
    ACCOUNT_KIT_URL: identityUrl,
    ANALYTICS_URL: identityUrl,
  });
}

function claims() {
  const iat = Math.floor(Date.now() / 1_000);
  const common = {
    iss: PUBLIC_URL,
    aud: PUBLIC_URL,
    sub: 'user_0000000000000000000001',
    client_id: CLIENT.clientId,
  };
  const jti = randomBytes(16).toString('base64url');
  return { ...common, iat, exp: iat + 3_600, jti, scope: '$public openid user:read user:wallet:read' };
}

function bearer() {
  /** @param {object} value */
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256', typ: 'at+jwt', kid: 'access-key' })}.${part(claims())}`;
  const key = { key: pair.privateKey, dsaEncoding: /** @type {const} */ ('ieee-p1363') };
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

function aeToken() {
  return encryptAeToken({ ...claims(), wallet: `eip155:1:0x${'11'.repeat(20)}` }, ae);
}

async function ethereum() {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const { address } = wallet;
  const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
  const fields = {
    domain: new URL(PUBLIC_URL).host,
    address,
    uri: PUBLIC_URL,
    chainId: 1,
    issuedAt: new Date().toISOString(),
    expirationTime,
    resources: [`${PUBLIC_URL}/#credential`, `urn:client:${CLIENT.clientId}`, 'urn:scope:$public'],
  };
  const issued = formatSignInMessage({ ...fields, nonce: NONCE_PLACEHOLDER });
  const binding = { purpose: /** @type {const} */ ('credential'), clientId: CLIENT.clientId, text: issued };
  const text = formatSignInMessage({ ...fields, nonce: createSignInNonce(binding, nonce) });
  const signature = await wallet.signMessage({ message: text });
  return `${Buffer.from(text).toString('base64url')}.${signature}`;
}
