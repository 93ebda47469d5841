import { randomUUID } from 'node:crypto';
import { deriveUserId } from '@app/auth';
import type { PagesUnderTest } from './pages-under-test.js';

/** A chat user of a community, and the attached application that links their wallets. */
export class ChatUser {
  private constructor(
    readonly communityId: string,
    readonly platformUserId: string,
    readonly userId: string,
    readonly clientId: string,
    private readonly apiKey: string,
    private readonly gatewayUrl: string,
    private readonly inDatabase: PagesUnderTest['inDatabase'],
  ) {}

  /** @param pages a suite with token-gating */
  static async create(
    { suite, inDatabase }: Pick<PagesUnderTest, 'suite' | 'inDatabase'>,
    name = 'ann',
  ): Promise<ChatUser> {
    const { clientId, apiKey } = await suite.createClient({ scopes: ['community:read', 'community:write'] });
    const [communityId, platformUserId] = [`community_${randomUUID()}`, randomUUID()];
    const userId = deriveUserId('chat', platformUserId);
    await inDatabase(`
      INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, next_check_at)
        VALUES ('${communityId}', 'Apes', 'chat', 'members', 'user_owner', now() + interval '1 day');
      INSERT INTO token_gating.community_clients (community_id, client_id) VALUES ('${communityId}', '${clientId}');
      INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id)
        VALUES ('${communityId}', '${userId}', 'chat', '${platformUserId}');
      INSERT INTO identity.users (id, platform, platform_user_id) VALUES ('${userId}', 'chat', '${platformUserId}');
      INSERT INTO identity.platform_user_profiles (client_id, user_id, username)
        VALUES ('${clientId}', '${userId}', '${name}')`);
    return new ChatUser(communityId, platformUserId, userId, clientId, apiKey, suite.gatewayUrl, inDatabase);
  }

  /** @returns the path of a page on which the user can sign */
  async newPage(): Promise<string> {
    return (await this.newChallenge()).path;
  }

  /** @returns the text to sign, and the path of its page */
  async newChallenge(): Promise<{ message: string; path: string }> {
    const challenge = (await this.call('POST', 'wallet-challenges')) as { message: string; url: string };
    return { message: challenge.message, path: new URL(challenge.url).pathname };
  }

  /** Gives the community a role for an address. */
  giveRoleTo(address: string, name: string, type = 'ALLOWLIST'): Promise<void> {
    const rules = JSON.stringify([{ roleId: 'whale', type, accounts: [address] }]);
    return this.inDatabase(`
      INSERT INTO token_gating.community_roles (community_id, id, name, position) VALUES ('${this.communityId}', 'whale', '${name}', 1);
      UPDATE token_gating.communities SET rules = '${rules}', rules_revision = rules_revision + 1 WHERE id = '${this.communityId}'`);
  }

  async countWallets(): Promise<number> {
    return ((await this.call('GET', 'wallets')) as { items: unknown[] }).items.length;
  }

  private async call(method: string, path: string): Promise<unknown> {
    const place = `/communities/${this.communityId}/platform-users/${this.platformUserId}/${path}`;
    const response = await fetch(this.gatewayUrl + place, { method, headers: { 'x-api-key': this.apiKey } });
    if (!response.ok) throw new Error(`${method} ${place}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
