import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader, SignJWT } from 'jose';
import type { Application, OAuthWorld } from '../identity/oauth-world.js';
import { leaseOAuthWorldOnAChain } from '../identity/oauth-world-on-a-chain.js';
import { csrfOf, type OAuthBrowser } from '../identity/oauth-browser.js';
import { envelopeOf } from '../support/envelope.js';
import type { DeployedContract, LocalChain } from '../support/local-chain.js';
import { until } from '../support/until.js';
import { createKeys } from '../token-gating/credential-client.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';

interface Token {
  token: string;
  slug: string;
  url: string;
}

const CREDENTIAL_SCOPE = 'user:verifiable-credential:write';

/** The credentials are those that identity issued, and the contract holds ids of 77 digits, which make long tokens. */
describe('asset claims through the gateway', () => {
  let chain: LocalChain;
  let nfts: DeployedContract;
  let world: OAuthWorld;
  let shop: Application;
  let browser: OAuthBrowser;
  let users: Record<'Bearer' | 'AE' | 'Ethereum', string>;
  const ids = Array.from({ length: 24 }, (_, index) => 10n ** 76n + BigInt(index));

  beforeAll(async () => {
    ({ world, chain } = await leaseOAuthWorldOnAChain());
    nfts = await chain.deploy('EnumerableERC721', ['']);
    shop = await world.application({ scopes: ['token-gating', CREDENTIAL_SCOPE] });
    const wallet = await WalletAtTheGateway.of(world.suite, shop);
    browser = await world.user();
    const code = await world.code(browser, shop, { scope: `user:read ${CREDENTIAL_SCOPE}` });
    const { access_token: token } = await world.exchange(shop, code);
    // The last minter owns the ids, and both keep their balance.
    for (const { address } of [browser.wallet, wallet.owner])
      await chain.send(nfts, 'mint', [address, ids[0], BigInt(ids.length)]);
    users = {
      Bearer: `Bearer ${token}`,
      AE: await wallet.aeToken(wallet.owner.address),
      Ethereum: await wallet.credential(wallet.owner.address, { scopes: ['$public'] }),
    };
  }, 120_000);

  const collection = () => `eip155:${chain.chainId}/erc721:${nfts.address}`;

  const send = (path: string, authorization?: string, body?: object) =>
    fetch(world.origin + path, {
      method: body ? 'POST' : 'GET',
      body: body && JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
    });
  const codeOf = async (response: Response) => (await envelopeOf(response)).details.code;
  async function claim(scheme: keyof typeof users, format: string, assets: string[]): Promise<Token> {
    const response = await send(`/asset-verification?format=${format}`, users[scheme], { assets });
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as Token;
  }

  it.each(['Bearer', 'AE', 'Ethereum'] as const)(
    'asset claims through the gateway: are made with %s, and verified by anyone',
    async (scheme) => {
      const { token, url } = await claim(scheme, 'jwt', [collection()]);
      expect(url.startsWith(`${world.origin}/asset-verification/`)).toBe(true);
      for (const address of [url, `${world.origin}/asset-verification/${token}`]) {
        const response = await fetch(address);
        expect(response.status).toBe(200);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        expect(response.headers.get('x-robots-tag')).toBe('noindex');
        expect(await response.json()).toMatchObject({ assets: [{ asset: collection(), owner: true }] });
      }
      const page = await fetch(url, { headers: { accept: 'text/html' } });
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await page.text()).toContain(collection());
    },
  );

  it('asset claims through the gateway: are verified by tokens of thousands of characters', async () => {
    const assets = ids.map((id) => `${collection()}/${id}`);
    const { token } = await claim('AE', 'ae', assets);
    expect(token.length).toBeGreaterThan(5_000);
    const response = await send(`/asset-verification/${token}`);
    expect(response.status).toBe(200);
    expect(((await response.json()) as { assets: object[] }).assets).toHaveLength(ids.length);
  });

  it('T94: asset claims through the gateway: are no access tokens, and access tokens are no claims', async () => {
    for (const format of ['jwt', 'ae']) {
      const { token } = await claim('Bearer', format, [collection()]);
      for (const scheme of ['Bearer', 'AE']) {
        const response = await send('/account/me', `${scheme} ${token}`);
        expect(response.status).toBe(401);
      }
    }
    for (const authorization of [users.Bearer, users.AE]) {
      const response = await send(`/asset-verification/${authorization.split(' ')[1] ?? ''}`);
      expect([response.status, await codeOf(response)]).toEqual([404, 'asset_claim_not_found']);
    }
  });

  it('asset claims through the gateway: are signed by a published key that is apart from those of access tokens', async () => {
    const { token } = await claim('Bearer', 'jwt', [collection()]);
    const { kid } = decodeProtectedHeader(token);
    const { keys } = (await (await send('/.well-known/jwks.json')).json()) as { keys: { kid: string }[] };
    expect(kid).toMatch(/^asset-claim-/);
    expect(keys.map((key) => key.kid)).toContain(kid);
  });

  it('asset claims through the gateway: need a user, and leave no token in the logs', async () => {
    const { token, slug } = await claim('AE', 'jwt', [collection()]);
    const byKey = await fetch(`${world.origin}/asset-verification`, {
      method: 'POST',
      headers: { 'x-api-key': shop.apiKey },
    });
    expect(byKey.status).toBe(401);
    for (const named of [token, slug]) await send(`/asset-verification/${named}`);
    const lines = ['gateway', 'token-gating'].flatMap((app) => world.suite.app(app).logLines);
    for (const secret of [token, slug]) expect(lines.join('\n')).not.toContain(secret);
  });

  it('asset claims through the gateway: are listed and revoked in the portal', async () => {
    const { slug } = await claim('Bearer', 'jwt', [collection()]);
    const page = await (await browser.open('/portal/claims')).text();
    expect(page).toContain(collection());
    expect(page).not.toContain(slug);
    const [, path = ''] = /action="(\/portal\/claims\/[\w-]+\/revoke)"/.exec(page) ?? [];
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? [];
    expect((await browser.postForm(path, { csrf: 'wrong' })).status).toBe(403);
    expect((await send(`/asset-verification/${slug}`)).status).toBe(200);
    expect((await browser.postForm(path, { csrf })).status).toBe(303);
    expect((await send(`/asset-verification/${slug}`)).status).toBe(404);
  });

  describe('verifiable credentials through the gateway', () => {
    async function issue(): Promise<string> {
      const [{ nonce }, { issuer }] = await Promise.all([
        send('/account/verifiable-credentials/nonces', users.Bearer, {}).then(
          (response) => response.json() as Promise<{ nonce: string }>,
        ),
        send('/.well-known/jwt-vc-issuer').then((response) => response.json() as Promise<{ issuer: string }>),
      ]);
      const { publicKey, privateKey } = await createKeys();
      const proof = await new SignJWT({ nonce, aud: issuer })
        .setIssuedAt()
        .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt' })
        .sign(privateKey);
      const request = { type: 'asset-ownership', assets: [collection()], jwk: publicKey, proof };
      const response = await send('/account/verifiable-credentials', users.Bearer, request);
      if (response.status !== 200) throw new Error(await response.text());
      return ((await response.json()) as { credential: string }).credential;
    }
    const verify = async (credential: string) =>
      (await send('/verifiable-credentials/verifications', undefined, { credential })).json();
    const open = async (path: string, as = browser) => (await as.open(path)).text();

    it('revokeCredential in the portal: ends a credential of this user, and none of another', async () => {
      const credential = await issue();
      const page = await open('/portal/verifiable-credentials');
      expect(page).toContain('Asset ownership');
      expect(page).toContain(`eip155:1:${browser.wallet.address}`);
      const [path = ''] = /\/portal\/verifiable-credentials\/[\w-]+\/revoke/.exec(page) ?? [];
      const stranger = await world.user();
      const theirs = csrfOf(await open('/portal/verifiable-credentials', stranger));
      expect(await open('/portal/verifiable-credentials', stranger)).toContain(
        'No verifiable credentials yet',
      );
      expect((await stranger.postForm(path, { csrf: theirs })).status).toBe(404);
      expect(await verify(credential)).toMatchObject({ valid: true, status: 'valid' });
      expect((await browser.postForm(path, { csrf: csrfOf(page) })).status).toBe(303);
      expect(await verify(credential)).toMatchObject({ valid: false, status: 'revoked' });
      expect(await open('/portal/verifiable-credentials')).toContain('revoked');
    });

    it('disconnectApplication: ends the credentials that the application asked for', async () => {
      const credential = await issue();
      const csrf = csrfOf(await open('/portal/connections'));
      expect((await browser.postForm(`/portal/connections/${shop.clientId}/revoke`, { csrf })).status).toBe(
        303,
      );
      await until(
        'the credential is revoked',
        async () => ((await verify(credential)) as { status: string }).status === 'revoked',
      );
    });
  });
});
