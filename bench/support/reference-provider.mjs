// oidc-provider as it comes, with its in-memory adapter and access tokens of the same form: what ours is compared with.
import { createHash, generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

const issuer = `http://127.0.0.1:${process.env.PORT}`;
const resource = issuer;
const scope = 'user:read token-gating';
/** @param {import('node:crypto').KeyPairKeyObjectResult} pair @param {string} alg @param {string} kid */
const key = (pair, alg, kid) => ({
  ...pair.privateKey.export({ format: 'jwk' }),
  alg,
  kid,
  use: 'sig',
});

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'client_reference',
      client_secret: process.env.CLIENT_SECRET,
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code', 'client_credentials'],
      response_types: ['code'],
    },
  ],
  cookies: { keys: [createHash('sha256').update('cookies').digest('base64url')] },
  jwks: {
    keys: [
      key(generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'ES256', 'access'),
      key(generateKeyPairSync('rsa', { modulusLength: 2048 }), 'RS256', 'id'),
    ],
  },
  scopes: ['openid'],
  expiresWithSession: () => false,
  pkce: { required: () => true },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  // Whoever comes is signed in and has said yes, as with ours after the first time.
  loadExistingGrant: async ({ oidc }) => {
    const { session, client } = oidc;
    if (session?.accountId === undefined || client === undefined) throw new Error('Nobody is signed in');
    const known = session.grantIdFor(client.clientId);
    if (known) return oidc.provider.Grant.find(known);
    const grant = new oidc.provider.Grant({ accountId: session.accountId, clientId: client.clientId });
    grant.addOIDCScope('openid');
    grant.addResourceScope(resource, scope);
    await grant.save();
    return grant;
  },
  interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3_600,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  routes: { authorization: '/oauth2/authorize', token: '/oauth2/token' },
});

provider.use(async (context, next) => {
  if (context.path === '/cpu') {
    context.body = { microseconds: process.cpuUsage() };
  } else if (context.path.startsWith('/sign-in/')) {
    const login = { accountId: 'user_of_the_reference' };
    context.respond = false;
    await provider.interactionFinished(context.req, context.res, { login });
  } else await next();
});

provider.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
