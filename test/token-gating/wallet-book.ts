import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LinkedWallet } from '@app/dto';

interface Question {
  users?: { platformUserId: string }[];
  userIds?: string[];
  userId?: string;
  asker?: { userId?: string; clientId?: string };
}

/** Identity as token-gating sees it, for tests of token-gating alone: who has which wallets, and who may know. */
export class WalletBook {
  private readonly wallets = new Map<string, LinkedWallet[]>();
  private readonly grants = new Set<string>();
  /** Paths, in order. */
  readonly asked: string[] = [];
  isAway = false;
  /** What it answers instead, with whatever a fault of ours says of itself. */
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
        book.asked.push(request.url ?? '');
        const answer = book.isAway ? undefined : book.answer(request.url ?? '', JSON.parse(text) as Question);
        if (book.refusal) response.writeHead(book.refusal).end(JSON.stringify({ error: 'SECRET' }));
        else response.writeHead(answer ? 200 : 503).end(JSON.stringify(answer ?? {}));
      });
    });
    return book;
  }

  set(userId: string, ...wallets: LinkedWallet[]): void {
    this.wallets.set(userId, wallets);
  }

  /** A client application may know the wallets of a user from now on, or no longer. */
  grant(userId: string, clientId: string, isGranted = true): void {
    if (isGranted) this.grants.add(`${userId} ${clientId}`);
    else this.grants.delete(`${userId} ${clientId}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(
    path: string,
    { users = [], userIds = [], userId = '', asker = {} }: Question,
  ): object | undefined {
    if (path === '/internal/users') return { users: userIds.map(chatUser) };
    if (path === '/internal/platform-users')
      return { userIds: users.map(({ platformUserId }) => `user_${platformUserId}`) };
    if (path === '/internal/wallets') return { users: userIds.flatMap((id) => this.entry(id)) };
    if (path !== '/internal/wallets/of-account') return undefined;
    const mayKnow = asker.userId === userId || this.grants.has(`${userId} ${String(asker.clientId)}`);
    return { wallets: (mayKnow ? this.wallets.get(userId) : undefined) ?? null };
  }

  private entry(userId: string): object[] {
    const wallets = this.wallets.get(userId);
    return wallets ? [{ userId, wallets }] : [];
  }
}

/** As CommunityRows has its members. */
const chatUser = (id: string) => ({ id, platform: 'chat', platformUserId: `chat-of-${id}` });

export const eoa = (address: string): LinkedWallet => ({ type: 'eoa', chainId: '1', address });
export const contractOn = (chainId: number, address: string): LinkedWallet => ({
  type: 'contract',
  chainId: String(chainId),
  address,
});
