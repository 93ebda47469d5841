import type { Principal } from '@app/auth';
import type { Scope } from '@app/dto';
import { GatedChain } from '../support/gated-chain.js';
import { type ForeignQueue, foreignQueue } from '../queues/foreign-queue.js';
import { reply } from '../support/hostile-node.js';
import type { DeployedContract } from '../support/local-chain.js';
import { CommunityRows } from './community-rows.js';
import { type Answer, GatingApp } from './gating-app.js';
import { QueuedEvents } from './queued-events.js';
import { WalletBook } from './wallet-book.js';

export const asUser = (id: string, scope: Scope = 'token-gating'): Principal => ({
  kind: 'caller',
  user: { id },
  scopes: [scope],
});
export const asClient = (id: string, scope: Scope = 'token-gating'): Principal => ({
  kind: 'caller',
  client: { id, ownerId: 'owner_1', plan: 'free' },
  scopes: [scope],
});

/** Token-gating with a chain whose node can be held back, one token, and a fake identity with wallets. */
export class RolesWorld {
  private readonly queues: ForeignQueue[] = [];

  private constructor(
    private readonly queueEnv: Record<string, string>,
    readonly gated: GatedChain,
    readonly token: DeployedContract,
    readonly book: WalletBook,
    readonly gating: GatingApp,
    readonly communities: CommunityRows,
    readonly events: QueuedEvents,
  ) {}

  static async start(
    env: Record<string, string> = {},
    via?: (databaseUrl: string) => Promise<string>,
  ): Promise<RolesWorld> {
    const gated = await GatedChain.start();
    const { chain } = gated;
    const token = await chain.deploy('DemoERC20', ['Demo', 'DEMO', 18, chain.client.account.address, 0n]);
    const book = await WalletBook.start();
    const gating = await GatingApp.start(
      {
        [`RPC_URL_${chain.chainId}`]: gated.node.url,
        IDENTITY_URL: book.url,
        ...env,
      },
      via,
    );
    const communities = new CommunityRows(gating.databaseUrl);
    const { REDIS_URL } = env;
    const queueEnv: Record<string, string> = REDIS_URL
      ? { REDIS_URL }
      : { QUEUE_DATABASE_URL: gating.databaseUrl };
    const events = new QueuedEvents(queueEnv, communities);
    return new RolesWorld(queueEnv, gated, token, book, gating, communities, events);
  }

  /** Opens a queue of the app; closed by `stop`. */
  queue(name: string): ForeignQueue['queue'] {
    const foreign = foreignQueue(this.queueEnv, name);
    this.queues.push(foreign);
    return foreign.queue;
  }

  get chainId(): number {
    return this.gated.chain.chainId;
  }

  /** A rule that requires at least this many whole tokens. */
  holds(minToken: string, fields: object = {}): object {
    const { address: contractAddress } = this.token;
    return { type: 'ERC20', chainId: this.chainId, contractAddress, minToken, ...fields };
  }

  /** Creates an address with this amount in the smallest unit. */
  async wallet(amount = 0n): Promise<string> {
    const address = `0x${Array.from({ length: 40 }, () => Math.floor(Math.random() * 16).toString(16)).join('')}`;
    if (amount > 0n) await this.gated.chain.mint(this.token, address as `0x${string}`, amount);
    return address;
  }

  async give(address: string, amount: bigint): Promise<void> {
    await this.gated.chain.mint(this.token, address as `0x${string}`, amount);
  }

  roles(
    communityId: string,
    userId: string,
    as: Principal,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const path = `/access-control/${communityId}/${encodeURIComponent(userId)}/roles`;
    return this.gating.request('GET', path, undefined, headers, as);
  }

  /** Joins a user, which enqueues a member check. @throws Error for an error status */
  async join(communityId: string, userId: string): Promise<void> {
    const path = `/communities/${communityId}/members`;
    const as = asUser(userId, 'community:write');
    const { status, body } = await this.gating.request('POST', path, '{}', {}, as);
    if (status !== 200) throw new Error(`${userId} cannot join: ${status} ${JSON.stringify(body)}`);
  }

  /** Holds back the next response of the node. It contains the state of the chain at the time of the request. */
  holdNextAnswer(): { isRead: Promise<void>; release: () => void } {
    const { gated } = this;
    const read = gate();
    const released = gate();
    gated.onCall = async (request, response) => {
      gated.onCall = undefined;
      const body = JSON.stringify({ jsonrpc: '2.0', ...request });
      const headers = { 'content-type': 'application/json' };
      const answer = await (await fetch(gated.chain.rpcUrl, { method: 'POST', headers, body })).text();
      read.open();
      await released.isOpen;
      response.setHeader('content-type', 'application/json').end(answer);
    };
    return { isRead: read.isOpen, release: released.open };
  }

  /** @returns a function that repairs the node */
  breakNode(): () => void {
    this.gated.onCall = ({ id }, response) => {
      reply(response, id, { error: { code: -32_005, message: 'limit exceeded' } });
    };
    return () => (this.gated.onCall = undefined);
  }

  /** @returns a function that repairs identity */
  breakIdentity(): () => void {
    this.book.isAway = true;
    return () => (this.book.isAway = false);
  }

  async stop(): Promise<void> {
    await this.events.close();
    for (const { close } of this.queues) await close();
    await this.communities.close();
    await this.gating.stop();
    await this.book.stop();
    await this.gated.stop();
  }
}

function gate(): { isOpen: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { isOpen, open };
}
