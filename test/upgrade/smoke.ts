import { CallbackLog, isAuthentic, type PublishedKeys } from '../support/callback-log.js';
import type { LocalChain } from '../support/local-chain.js';
import { until } from '../support/until.js';
import { type Application, OAuthWorld } from '../identity/oauth-world.js';
import type { OAuthBrowser } from '../identity/oauth-browser.js';
import type { TwoReleases } from './two-releases.js';

const SCOPES = ['token-gating', 'community:read', 'community:write', 'community:analytics'];
const COIN = 10n ** 18n;
const ROLE = 'rich';

interface Tokens {
  access: string;
  refresh: string;
}

interface Member {
  id: string;
  browser: OAuthBrowser;
  tokens: Tokens;
}

/** What clients do all the time, with credentials, tokens, sessions and a community that outlive releases. */
export class Smoke {
  private readonly members: Member[] = [];
  private path = '';

  private constructor(
    private readonly releases: TwoReleases,
    private readonly chain: LocalChain,
    private readonly callbacks: CallbackLog,
    private readonly oauth: OAuthWorld<TwoReleases>,
    private readonly application: Application,
    private readonly owner: Member,
  ) {}

  /** Makes an application, its owner's community and one member. */
  static async start(releases: TwoReleases, chain: LocalChain, callbacks: CallbackLog): Promise<Smoke> {
    const oauth = OAuthWorld.of(releases);
    const application = await oauth.application({ scopes: SCOPES });
    const owner = await signIn(oauth, application, chain);
    const smoke = new Smoke(releases, chain, callbacks, oauth, application, owner);
    await smoke.createCommunity();
    return smoke;
  }

  /** @throws Error for whatever a client would not have got from one release alone */
  async run(): Promise<void> {
    await this.expectGranted();
    const requestId = await this.acceptCheck();
    await this.useTokens();
    await this.readPages();
    await this.join();
    await this.untilCalledBack([requestId]);
    await this.untilEverybodyCounts();
  }

  /** Lets a new user join, who gets a role because of the balance of a wallet. */
  async join(): Promise<void> {
    const member = await signIn(this.oauth, this.application, this.chain);
    await this.expectOk('POST', `${this.path}/members`, bearer(member), {});
    this.members.push(member);
  }

  /** An asynchronous check with a callback. @returns its id */
  async acceptCheck(): Promise<string> {
    const body = { ...this.question, async: true, callbackUrl: this.callbacks.url() };
    const answer = await this.expectOk('POST', '/access-control/check-roles', this.key, body);
    return String(answer['requestId']);
  }

  /** Each check is called back once, signed with a published key. */
  async untilCalledBack(requestIds: readonly string[]): Promise<void> {
    await until('the checks are called back', () =>
      requestIds.every((id) => this.callbacks.of(id).length > 0),
    );
    const response = await fetch(`${this.releases.gatewayUrl}/.well-known/jwks.json`);
    const keys = (await response.json()) as PublishedKeys;
    for (const callback of requestIds.flatMap((id) => this.callbacks.of(id)))
      if (!isAuthentic(callback, keys)) throw new Error('A callback is not signed with a published key');
    const deliveries = new Set(this.callbacks.seen.map(({ deliveryId }) => deliveryId));
    if (deliveries.size !== new Set(this.callbacks.seen.map(({ requestId }) => requestId)).size)
      throw new Error('A check was called back with two delivery ids');
  }

  /** Every member has the role, and analytics counts as many: their events went through all queues. */
  async untilEverybodyCounts(): Promise<void> {
    await until('every member has the role', async () => {
      const { items } = await this.expectOk('GET', `${this.path}/members?limit=100`, bearer(this.owner));
      const granted = (items as { userId: string; roles: string[] }[]).filter(({ roles }) =>
        roles.includes(ROLE),
      );
      return granted.length === this.members.length;
    });
    const id = this.path.replace('/communities/', '');
    await until('analytics counts every member', async () => {
      const report = await this.expectOk(
        'POST',
        `/analytics/${id}/role-distribution?range=24h`,
        bearer(this.owner),
      );
      const rows = report as unknown as { id: string; count: number }[];
      return rows.some((row) => row.id === ROLE && row.count === this.members.length);
    });
  }

  private get key(): Record<string, string> {
    return { 'x-api-key': this.application.apiKey };
  }

  private get question(): object {
    const rules = [{ type: 'NATIVE', chainId: this.chain.chainId, minToken: '1', roleId: ROLE }];
    return { account: this.chain.client.account.address, rules };
  }

  private async createCommunity(): Promise<void> {
    const { key, question } = this;
    const { id } = await this.expectOk('POST', '/communities', bearer(this.owner), {
      name: 'Apes',
      visibility: 'public',
    });
    this.path = `/communities/${String(id)}`;
    await this.expectOk('POST', `${this.path}/roles`, bearer(this.owner), { id: ROLE, name: 'Rich' });
    await this.expectOk('PUT', `${this.path}/rules`, bearer(this.owner), {
      rules: (question as { rules: unknown }).rules,
    });
    await this.expectOk('GET', this.path, key);
  }

  private async expectGranted(): Promise<void> {
    const { roles } = await this.expectOk('POST', '/access-control/check-roles', this.key, this.question);
    if (JSON.stringify(roles) !== JSON.stringify([{ id: ROLE, granted: true }]))
      throw new Error(`Another answer: ${JSON.stringify(roles)}`);
  }

  /** Access tokens of the owner and of the first and last member are accepted, and refresh tokens give others. */
  private async useTokens(): Promise<void> {
    const [first = this.owner] = this.members;
    for (const one of new Set([this.owner, first, this.members.at(-1) ?? this.owner])) {
      const status = await this.oauth.me(one.tokens.access);
      const { active } = await this.oauth.introspect(this.application, one.tokens.access);
      if (status !== 200 || active !== true)
        throw new Error(`An access token is answered ${status}, active: ${String(active)}`);
      const next = await this.oauth.token(this.application, {
        grant_type: 'refresh_token',
        refresh_token: one.tokens.refresh,
      });
      if (next.status !== 200) throw new Error(`A refresh token is answered ${JSON.stringify(next)}`);
      one.tokens = { access: next.access_token, refresh: next.refresh_token ?? '' };
    }
  }

  /** The sessions of the owner and of the last member show the portal without a login. */
  private async readPages(): Promise<void> {
    for (const { browser } of [this.owner, this.members.at(-1) ?? this.owner])
      for (const page of ['/portal', '/portal/connections']) {
        const response = await browser.open(page);
        const html = await response.text();
        if (response.status !== 200)
          throw new Error(
            `${page} answers ${response.status}, to ${response.headers.get('location') ?? ''}: ${html.slice(0, 300)}`,
          );
      }
  }

  private async expectOk(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(this.releases.gatewayUrl + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}

const bearer = ({ tokens }: Member): Record<string, string> => ({ authorization: `Bearer ${tokens.access}` });

/** A new user with a balance, signed in in a browser, with tokens of the application. */
async function signIn(
  oauth: OAuthWorld<TwoReleases>,
  application: Application,
  chain: LocalChain,
): Promise<Member> {
  const browser = await oauth.user();
  await chain.setNativeBalance(browser.wallet.address, 5n * COIN);
  const scope = ['offline_access', 'user:read', ...SCOPES.filter((one) => one !== 'token-gating')].join(' ');
  const answer = await oauth.exchange(application, await oauth.code(browser, application, { scope }));
  if (answer.status !== 200) throw new Error(`No tokens: ${JSON.stringify(answer)}`);
  const response = await fetch(`${oauth.origin}/account/me`, {
    headers: { authorization: `Bearer ${answer.access_token}` },
  });
  const { id } = (await response.json()) as { id: string };
  return { id, browser, tokens: { access: answer.access_token, refresh: answer.refresh_token ?? '' } };
}
