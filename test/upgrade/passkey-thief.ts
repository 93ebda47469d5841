import { deriveUserId } from '@app/auth';
import { type Application, CALLBACK, OAuthWorld } from '../identity/oauth-world.js';
import { OAuthBrowser } from '../identity/oauth-browser.js';
import type { TwoReleases } from './two-releases.js';

const SCOPE = 'offline_access user:read user:wallet:write community:read community:write';

/** What the passkey of a user obtained while identity was new. */
interface Loot {
  access: string;
  refresh: string;
  /** An authorization code that nobody has exchanged. */
  code: string;
}

/** Somebody with a user's passkey, who tries whether any mix of two releases takes it for the wallet. */
export class PasskeyThief {
  private loot: Loot | undefined;
  private browser: OAuthBrowser;

  private constructor(
    private readonly releases: TwoReleases,
    private readonly oauth: OAuthWorld<TwoReleases>,
    private readonly application: Application,
    private readonly owner: OAuthBrowser,
    /** The community of the user. */
    private readonly path: string,
  ) {
    this.browser = owner;
  }

  static async start(releases: TwoReleases): Promise<PasskeyThief> {
    const oauth = OAuthWorld.of(releases);
    const scopes = SCOPE.split(' ').filter((scope) => scope !== 'offline_access');
    const application = await oauth.application({ scopes });
    const owner = await oauth.user();
    const { access_token } = await oauth.exchange(
      application,
      await oauth.code(owner, application, { scope: SCOPE }),
    );
    const response = await fetch(`${oauth.origin}/communities`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Vault', visibility: 'public' }),
    });
    const { id } = (await response.json()) as { id: string };
    return new PasskeyThief(releases, oauth, application, owner, `/communities/${id}`);
  }

  /** @throws Error when an operation that requires the wallet runs, or when the previous release accepts anything */
  async run(): Promise<void> {
    if (this.releases.releaseOf('identity') === 'this') await this.signIn();
    if (!this.loot) return;
    if (this.releases.releaseOf('identity') === 'previous') await this.tryPages();
    await this.tryTokens(this.loot);
    await this.tryRefresh(this.loot);
  }

  /** Signs in by passkey, as the login page stores it. */
  private async signIn(): Promise<void> {
    this.browser = new OAuthBrowser(this.oauth.origin);
    await this.browser.signIn('/login', this.owner.wallet);
    const sql = `UPDATE identity.browser_sessions SET amr = ARRAY['pop', 'user'], account = NULL WHERE user_id = $1`;
    await this.releases.query(sql, [deriveUserId('ethereum', this.owner.wallet.address.toLowerCase())]);
    const code = await this.getCode();
    const answer = await this.oauth.exchange(this.application, code);
    if (answer.status !== 200) throw new Error(`A new identity gives a passkey no tokens: ${answer.error}`);
    this.loot = {
      access: answer.access_token,
      refresh: answer.refresh_token ?? '',
      code: await this.getCode(),
    };
  }

  private getCode(): Promise<string> {
    return this.oauth.code(this.browser, this.application, { scope: SCOPE });
  }

  private async tryTokens({ access }: Loot): Promise<void> {
    const isOldGateway = this.releases.releaseOf('gateway') === 'previous';
    expectStatus('GET /account/me', isOldGateway ? 401 : 200, await this.oauth.me(access));
    for (const path of [this.path, '/account/wallets']) {
      const headers = { authorization: `Bearer ${access}` };
      const response = await fetch(this.oauth.origin + path, { method: 'DELETE', headers });
      await response.body?.cancel();
      expectStatus(`DELETE ${path}`, isOldGateway ? 401 : 403, response.status);
    }
    const headers = { 'x-api-key': this.application.apiKey };
    expectStatus('the community', 200, (await fetch(this.oauth.origin + this.path, { headers })).status);
  }

  private async tryRefresh(loot: Loot): Promise<void> {
    const { application, oauth } = this;
    const answers = [
      await oauth.exchange(application, loot.code),
      await oauth.token(application, { grant_type: 'refresh_token', refresh_token: loot.refresh }),
    ];
    if (this.releases.releaseOf('identity') === 'this') return;
    for (const { status, error } of answers)
      if (status !== 400 || error !== 'invalid_grant')
        throw new Error(`The previous identity answers a passkey ${String(status)} ${String(error)}`);
  }

  /** The session of a passkey, at an identity that knows none. */
  private async tryPages(): Promise<void> {
    const page = await this.browser.open('/portal');
    if (page.status === 200) throw new Error('The previous identity shows the portal to a passkey');
    const request = { response_type: 'code', client_id: this.application.clientId, redirect_uri: CALLBACK };
    const { location } = await this.browser.follow(this.oauth.authorizeUrl(request));
    if (location?.includes('code=')) throw new Error('The previous identity gives a passkey a code');
  }
}

function expectStatus(what: string, expected: number, status: number): void {
  if (status !== expected)
    throw new Error(`${what} is answered ${String(status)} to a passkey, not ${String(expected)}`);
}
