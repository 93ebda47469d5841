import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import OAuth2Strategy from 'passport-oauth2';
import { Passport } from 'passport';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { OAuthBrowser } from './oauth-browser.js';
import { CALLBACK, OAuthWorld } from './oauth-world.js';

/** Unmodified client libraries against the whole service. */
describe('off-the-shelf clients', () => {
  let world: OAuthWorld;
  let alice: OAuthBrowser;
  const scope = 'openid user:read offline_access';

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    alice = await world.user();
  });

  const through = (url: URL | string): Promise<URL> =>
    world.authorize(alice, Object.fromEntries(new URL(url).searchParams));

  it.each([
    ['RS256', 'confidential', openid.ClientSecretBasic],
    ['ES256', 'confidential', openid.ClientSecretPost],
    ['RS256', 'public', openid.None],
  ] as const)(
    'off-the-shelf clients: openid-client logs in with %s, %s',
    async (idTokenAlg, type, authentication) => {
      const { clientId, clientSecret } = await world.application({ idTokenAlg, type });
      const config = await openid.discovery(
        new URL(world.origin),
        clientId,
        { id_token_signed_response_alg: idTokenAlg },
        authentication(clientSecret),
        // oxlint-disable-next-line typescript/no-deprecated -- the test's server speaks http
        { execute: [openid.allowInsecureRequests] },
      );
      const [verifier, state, nonce] = [
        openid.randomPKCECodeVerifier(),
        openid.randomState(),
        openid.randomNonce(),
      ];
      const start = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const back = await through(start);
      const checks = {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      };
      const tokens = await openid.authorizationCodeGrant(config, back, checks);
      const claims = tokens.claims();
      expect(claims).toMatchObject({ iss: world.origin, aud: clientId, nonce });
      const user = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
      expect(user.sub).toBe(claims?.sub);
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(next.claims()?.sub).toBe(claims?.sub);
      expect(await openid.tokenIntrospection(config, next.access_token)).toMatchObject({
        active: true,
        sub: claims?.sub,
        client_id: clientId,
      });
      await openid.tokenRevocation(config, next.refresh_token ?? '');
      expect(await openid.tokenIntrospection(config, next.access_token)).toEqual({ active: false });
      await expect(openid.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    },
  );

  it('off-the-shelf clients: oauth4webapi logs in and verifies every signature', async () => {
    const { clientId, clientSecret } = await world.application({ scopes: ['token-gating'] });
    const issuer = new URL(world.origin);
    // oxlint-disable-next-line typescript/no-deprecated -- the test's server speaks http
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    );
    const client: oauth.Client = { client_id: clientId };
    const authentication = oauth.ClientSecretBasic(clientSecret);
    const [verifier, state, nonce] = [
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomState(),
      oauth.generateRandomNonce(),
    ];
    const start = new URL(server.authorization_endpoint ?? '');
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const asked = { client_id: clientId, redirect_uri: CALLBACK, response_type: 'code', scope, state, nonce };
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    for (const [name, value] of Object.entries({ ...asked, ...pkce })) start.searchParams.set(name, value);
    const parameters = oauth.validateAuthResponse(server, client, await through(start), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      CALLBACK,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, answer, insecure);
    const request = new Request(`${world.origin}/account/me`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(server, request, world.origin, insecure);
    expect(claims).toMatchObject({ client_id: clientId, sub: oauth.getValidatedIdTokenClaims(tokens)?.sub });
    const own = await oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(
        server,
        client,
        authentication,
        { scope: 'token-gating' },
        insecure,
      ),
    );
    expect(own).toMatchObject({ token_type: 'bearer', scope: 'token-gating', expires_in: 3_600 });
  });

  it.each(['header', 'body'] as const)(
    'off-the-shelf clients: simple-oauth2 logs in, its secret in the %s',
    async (authorizationMethod) => {
      const { clientId, clientSecret } = await world.application({ scopes: ['token-gating'] });
      const options = {
        client: { id: clientId, secret: clientSecret },
        auth: { tokenHost: world.origin, tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
        options: { authorizationMethod },
      };
      const client = new AuthorizationCode({
        ...options,
        auth: { ...options.auth, authorizePath: '/oauth2/authorize' },
      });
      const back = await through(client.authorizeURL({ redirect_uri: CALLBACK, scope, state: 's' }));
      const code = back.searchParams.get('code') ?? '';
      const token = await client.getToken({ code, redirect_uri: CALLBACK });
      expect(token.token).toMatchObject({ token_type: 'Bearer', scope });
      expect(token.expired()).toBe(false);
      const refreshed = await token.refresh();
      expect(await world.me(String(refreshed.token['access_token']))).toBe(200);
      await refreshed.revokeAll();
      const own = await new ClientCredentials(options).getToken({ scope: 'token-gating' });
      expect(own.token).toMatchObject({ scope: 'token-gating' });
    },
  );

  describe('passport-oauth2', () => {
    let site: Server;
    let callback: string;

    afterAll(async () => {
      site.close();
      await once(site, 'close');
    });

    it('off-the-shelf clients, passport-oauth2: logs in at an Express site', async () => {
      const app = express();
      site = app.listen(0, '127.0.0.1');
      await once(site, 'listening');
      callback = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/auth/callback`;
      const { clientId, clientSecret } = await world.application({
        redirectUris: ['http://localhost/auth/callback'],
      });
      const passport = new Passport();
      const options = {
        authorizationURL: `${world.origin}/oauth2/authorize`,
        tokenURL: `${world.origin}/oauth2/token`,
        clientID: clientId,
        clientSecret,
        callbackURL: callback,
        scope: ['user:read', 'offline_access'],
      };
      passport.use(
        new OAuth2Strategy(
          options,
          (
            accessToken: string,
            refreshToken: string,
            _profile: unknown,
            done: OAuth2Strategy.VerifyCallback,
          ) => {
            done(null, { accessToken, refreshToken });
          },
        ),
      );
      const signIn = passport.authenticate('oauth2', { session: false }) as RequestHandler;
      app.get('/auth', signIn);
      app.get('/auth/callback', signIn, (request, response) => {
        response.json(request.user);
      });
      const start = await fetch(callback.replace('/callback', ''), { redirect: 'manual' });
      const back = await through(start.headers.get('location') ?? '');
      expect(back.href.startsWith(`${callback}?code=`)).toBe(true);
      const signedIn = (await (await fetch(back)).json()) as { accessToken: string; refreshToken: string };
      expect(await world.me(signedIn.accessToken)).toBe(200);
      expect(signedIn.refreshToken).toMatch(/^[\w-]{43}$/);
    });
  });
});
