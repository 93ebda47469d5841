import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LinkedWallet, WalletLink } from '@app/dto';
import { toIdentityResponse } from '../support/internal-responses.js';

interface RequestBody {
  users?: { platformUserId: string }[];
  userIds?: string[];
  userId?: string;
  clientIds?: string[];
  members?: { userId: string }[];
  text?: string;
  asker?: { userId?: string; clientId?: string };
}

/** A stand-in for identity in tests of token-gating alone: wallets of users and grants to read them. */
export class WalletBook {
  private readonly wallets = new Map<string, LinkedWallet[]>();
  private readonly links = new Map<string, WalletLink[]>();
  private readonly grants = new Set<string>();
  /** What users are called, by their ids. */
  readonly names = new Map<string, string>();
  /** Requested paths, in order. */
  readonly asked: string[] = [];
  /** Client applications without a scope. */
  readonly unapproved = new Set<string>();
  /** The users whose client applications these are, by the ids of the applications. */
  readonly owners = new Map<string, string>();
  /** Client applications that were deleted. */
  readonly removed = new Set<string>();
  isAway = false;
  /** Whether it does not know the path for wallets of members of several communities. */
  isOfEarlierRelease = false;
  /** Called with the path of each request, before it is answered. */
  onAsk: ((path: string) => void) | undefined;
  /** Status of every response instead of 200, with a body that must not be shown to clients. */
  refusal: number | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<WalletBook> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const book = new WalletBook(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        const path = request.url ?? '';
        book.asked.push(path);
        book.onAsk?.(path);
        const result = book.isAway ? undefined : book.respond(path, JSON.parse(text) as RequestBody);
        if (book.isOfEarlierRelease && path.endsWith('/of-members')) response.writeHead(404).end('{}');
        else if (book.refusal) response.writeHead(book.refusal).end(JSON.stringify({ error: 'SECRET' }));
        else if (result) response.end(toIdentityResponse(path, result));
        else response.writeHead(503).end('{}');
      });
    });
    return book;
  }

  set(userId: string, ...wallets: LinkedWallet[]): void {
    this.wallets.set(userId, wallets);
  }

  /** Sets when the wallets of a user were linked and unlinked. */
  setLinks(userId: string, ...links: WalletLink[]): void {
    this.links.set(userId, links);
  }

  /** Grants or revokes a client application's access to the wallets of a user. */
  grant(userId: string, clientId: string, isGranted = true): void {
    if (isGranted) this.grants.add(`${userId} ${clientId}`);
    else this.grants.delete(`${userId} ${clientId}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private respond(
    path: string,
    {
      users = [],
      userIds = [],
      userId = '',
      clientIds = [],
      members = [],
      asker = {},
      text = '',
    }: RequestBody,
  ): object | undefined {
    if (path === '/internal/users') return { users: userIds.map(chatUser) };
    if (path === '/internal/users/names')
      return {
        users: [...this.names].flatMap(([id, name]) => (userIds.includes(id) ? [{ id, name }] : [])),
      };
    if (path === '/internal/users/matching') {
      const matches = (id: string): boolean =>
        this.names.get(id)?.toLowerCase().includes(text.toLowerCase()) ?? false;
      return { userIds: userIds.filter(matches) };
    }
    if (path === '/internal/platform-users')
      return { userIds: users.map(({ platformUserId }) => `user_${platformUserId}`) };
    if (path === '/internal/wallets') return { users: userIds.flatMap((id) => this.entry(id)) };
    if (path === '/internal/wallets/of-members')
      return { wallets: members.map((member) => this.wallets.get(member.userId) ?? []) };
    if (path === '/internal/wallets/links')
      return { users: userIds.map((id) => ({ userId: id, links: this.links.get(id) ?? [] })) };
    if (path === '/internal/wallets/readers') return { users: userIds.flatMap((id) => this.readers(id)) };
    if (path === '/internal/communities/deleted') return { hasMore: false };
    if (path === '/internal/client-plans') {
      const existing = clientIds.filter((id) => !this.removed.has(id));
      return { asOf: 0, plans: existing.map((id) => this.plan(id)) };
    }
    if (path !== '/internal/wallets/of-account') return undefined;
    const mayKnow = asker.userId === userId || this.grants.has(`${userId} ${String(asker.clientId)}`);
    return { wallets: (mayKnow ? this.wallets.get(userId) : undefined) ?? null };
  }

  /** An approved client application of a tenant without limits. */
  private plan(clientId: string): object {
    return {
      clientId,
      ownerId: 'owner_1',
      ownerUserId: this.owners.get(clientId) ?? null,
      plan: 'enterprise',
      limits: { perSecond: 1_000, perMonth: 1_000_000 },
      scopes: this.unapproved.has(clientId) ? [] : ['token-gating', 'user:wallet:read'],
    };
  }

  /** Omits users without readers, as identity does. */
  private readers(userId: string): object[] {
    const clientIds = [...this.grants].flatMap((grant) => {
      const [id, clientId] = grant.split(' ');
      return id === userId ? [clientId] : [];
    });
    return clientIds.length > 0 ? [{ userId, clientIds }] : [];
  }

  private entry(userId: string): object[] {
    const wallets = this.wallets.get(userId);
    return wallets ? [{ userId, wallets }] : [];
  }
}

/** Matches the members that CommunityRows inserts. */
const chatUser = (id: string) => ({ id, platform: 'chat', platformUserId: `chat-of-${id}` });

export const eoa = (address: string): LinkedWallet => ({ type: 'eoa', chainId: '1', address });
export const contractOn = (chainId: number, address: string): LinkedWallet => ({
  type: 'contract',
  chainId: String(chainId),
  address,
});
