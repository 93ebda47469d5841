import { deriveUserId } from '@app/auth';
import { type Application, OAuthWorld } from '../identity/oauth-world.js';
import { OAuthBrowser } from '../identity/oauth-browser.js';
import type { TwoReleases } from './two-releases.js';

const SCOPE = 'offline_access user:read user:wallet:write community:read community:write';

/** What the passkey of a user obtained from one release of identity. */
interface Loot {
  access: string;
  refresh: string;
  /** An authorization code that nobody has exchanged. */
  code: string;
}

/** Somebody with a user's passkey, who tries whether any mix of two releases takes it for the wallet. */
export class PasskeyThief {
  private loot: Loot | undefined;

  private constructor(
    private readonly releases: TwoReleases,
    private readonly oauth: OAuthWorld<TwoReleases>,
    private readonly application: Application,
    private readonly owner: OAuthBrowser,
    /** The community of the user. */
    private readonly path: string,
  ) {}

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

  /** @throws Error when an operation that requires the wallet runs with what a passkey obtained now, or at the call before */
  async run(): Promise<void> {
    const before = this.loot;
    this.loot = await this.signIn();
    for (const loot of before === undefined ? [this.loot] : [before, this.loot]) {
      await this.tryToken(loot.access);
      await this.refresh(loot);
      await this.tryToken(loot.access);
    }
    // The code of the call before comes from the release that identity ran then.
    if (before !== undefined) await this.tryToken(await this.exchange(before.code));
  }

  /** Signs in by passkey, as the login page stores it. */
  private async signIn(): Promise<Loot> {
    const browser = new OAuthBrowser(this.oauth.origin);
    await browser.signIn('/login', this.owner.wallet);
    const sql = `UPDATE identity.browser_sessions SET amr = ARRAY['pop', 'user'], account = NULL WHERE user_id = $1`;
    await this.releases.query(sql, [deriveUserId('ethereum', this.owner.wallet.address.toLowerCase())]);
    const getCode = () => this.oauth.code(browser, this.application, { scope: SCOPE });
    const answer = await this.oauth.exchange(this.application, await getCode());
    if (answer.status !== 200) throw new Error(`A passkey gets no tokens: ${answer.error}`);
    return { access: answer.access_token, refresh: answer.refresh_token ?? '', code: await getCode() };
  }

  /** @returns the access token */
  private async exchange(code: string): Promise<string> {
    const answer = await this.oauth.exchange(this.application, code);
    if (answer.status !== 200) throw new Error(`A code of a passkey is refused: ${answer.error}`);
    return answer.access_token;
  }

  private async refresh(loot: Loot): Promise<void> {
    const form = { grant_type: 'refresh_token', refresh_token: loot.refresh };
    const answer = await this.oauth.token(this.application, form);
    if (answer.status !== 200) throw new Error(`A refresh token of a passkey is refused: ${answer.error}`);
    loot.access = answer.access_token;
    loot.refresh = answer.refresh_token ?? '';
  }

  private async tryToken(access: string): Promise<void> {
    expectStatus('GET /account/me', 200, await this.oauth.me(access));
    for (const path of [this.path, '/account/wallets']) {
      const headers = { authorization: `Bearer ${access}` };
      const response = await fetch(this.oauth.origin + path, { method: 'DELETE', headers });
      await response.body?.cancel();
      expectStatus(`DELETE ${path}`, 403, response.status);
    }
    const headers = { 'x-api-key': this.application.apiKey };
    expectStatus('the community', 200, (await fetch(this.oauth.origin + this.path, { headers })).status);
  }
}

function expectStatus(what: string, expected: number, status: number): void {
  if (status !== expected)
    throw new Error(`${what} is answered ${String(status)} to a passkey, not ${String(expected)}`);
}
