import { type Principal, deriveUserId } from '@app/auth';
import { type WalletEvent, walletEvent } from '@app/dto';
import { z } from 'zod';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { queryDatabase } from './query-database.js';
import { type Answer, type Problem, SignInWorld } from './sign-in-world.js';

const SCOPES = ['$public', 'user:read', 'user:wallet:read', 'user:wallet:write'] as const;

/** Copies outbox rows, because the relay deletes them at once. */
const COPY_OUTBOX = `
  CREATE TABLE IF NOT EXISTS published (seq bigserial, queue text, payload jsonb);
  CREATE OR REPLACE FUNCTION copy_published() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO published (queue, payload) VALUES (NEW.queue, NEW.payload); RETURN NEW; END $$;
  CREATE OR REPLACE TRIGGER copy_published AFTER INSERT ON identity.outbox FOR EACH ROW EXECUTE FUNCTION copy_published();`;

export interface LinkedWallet {
  address: string;
  accounts: unknown[];
}

export interface ListAnswer {
  status: number;
  items: unknown[];
  paginationToken?: string;
  error: Problem | undefined;
}

export type User = Extract<Principal, { kind: 'caller' }> & { user: { id: string } };

export const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

/** A running identity whose users link wallets, and the wallet events it publishes. */
export class LinkingWorld {
  private constructor(
    readonly signIn: SignInWorld,
    private readonly shop: Extract<Principal, { kind: 'caller' }>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<LinkingWorld> {
    return LinkingWorld.of(await SignInWorld.start(env));
  }

  /** A world with an identity that runs already. */
  static async of(world: SignInWorld): Promise<LinkingWorld> {
    await queryDatabase(world.database.url, COPY_OUTBOX);
    const shop = await world.client(['https://shop.example']);
    if (shop.kind !== 'caller') throw new Error('expected a caller principal');
    return new LinkingWorld(world, shop);
  }

  stop(): Promise<void> {
    return this.signIn.stop();
  }

  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.signIn.database.url, sql, parameters);
  }

  /** The principal of a wallet's user, as the gateway derives it. Identity may not have stored the user. */
  userOf({ address }: { address: string }): User {
    const user = { id: deriveUserId('ethereum', address.toLowerCase()), account: `eip155:1:${address}` };
    return { ...this.shop, user, scopes: [...SCOPES] };
  }

  newUser(): User {
    return this.userOf(newKey());
  }

  /** Issues a link message for the user, which names a wallet if `query` does. */
  async message(user: User, query: Record<string, string> = {}): Promise<string> {
    const path = `/account/auth-message?${new URLSearchParams(query).toString()}`;
    const response = await this.signIn.identity.get(path, user);
    const { message } = (await response.json()) as { message?: string };
    if (message === undefined) throw new Error(`No message: ${String(response.status)}`);
    return message;
  }

  link(user: User, body: object): Promise<Answer<LinkedWallet>> {
    return this.signIn.post('/account/wallet-address', user, body);
  }

  /** Issues a message, signs it and links the wallet. */
  async linkKey(user: User, key: PrivateKeyAccount, more: object = {}): Promise<Answer<LinkedWallet>> {
    const message = await this.message(user);
    const signedMessage = await key.signMessage({ message });
    return this.link(user, { address: key.address, message, signedMessage, ...more });
  }

  remove(user: User, address?: string): Promise<Response> {
    const path =
      address === undefined ? '/account/wallets' : `/account/wallets/${encodeURIComponent(address)}`;
    return this.signIn.identity.request('DELETE', path, user);
  }

  /** Loads a list, or its error. */
  async list(path: string, user: User): Promise<ListAnswer> {
    const response = await this.signIn.identity.get(path, user);
    const { error, ...page } = (await response.json()) as ListAnswer & { error?: Problem };
    return { ...page, status: response.status, error };
  }

  /** The wallet events published about a user, in order. */
  async publishedEvents({ user }: User): Promise<WalletEvent[]> {
    const events = await this.query(
      `SELECT event FROM published, jsonb_array_elements(payload -> 'events') WITH ORDINALITY AS item (event, n)
       WHERE queue = 'wallet-events' AND event ->> 'userId' = $1 ORDER BY seq, n`,
      [user.id],
    );
    return z
      .array(z.object({ event: walletEvent }))
      .parse(events)
      .map(({ event }) => event);
  }

  /** The published jobs with events of a wallet, as they are on the queue. */
  async publishedJobs(accountId: string): Promise<{ events: WalletEvent[] }[]> {
    const rows = await this.query(
      `SELECT payload FROM published WHERE queue = 'wallet-events' AND payload @> $1 ORDER BY seq`,
      [{ events: [{ accountId }] }],
    );
    const job = z.looseObject({ events: z.array(walletEvent) });
    return z
      .array(z.object({ payload: job }))
      .parse(rows)
      .map(({ payload }) => payload);
  }

  /** The published wallet events as texts of type and account. */
  async listPublishedEvents(user: User): Promise<string[]> {
    return (await this.publishedEvents(user)).map(({ type, accountId }) => `${type} ${accountId}`);
  }
}
