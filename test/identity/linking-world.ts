import { type Principal, deriveUserId } from '@app/auth';
import { type WalletEvent, walletEvent } from '@app/dto';
import { z } from 'zod';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { queryDatabase } from './query-database.js';
import { type Answer, type Problem, SignInWorld } from './sign-in-world.js';

const SCOPES = ['$public', 'user:read', 'user:wallet:read', 'user:wallet:write'] as const;

/** Keeps what is put into the outbox: the relay takes it out at once. */
const KEEP_WHAT_IS_TOLD = `
  CREATE TABLE told (seq bigserial, queue text, payload jsonb);
  CREATE FUNCTION keep_told() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO told (queue, payload) VALUES (NEW.queue, NEW.payload); RETURN NEW; END $$;
  CREATE TRIGGER keep_told AFTER INSERT ON identity.outbox FOR EACH ROW EXECUTE FUNCTION keep_told();`;

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

/** A running identity whose users link wallets, and what it tells about them. */
export class LinkingWorld {
  private constructor(
    readonly signIn: SignInWorld,
    private readonly shop: Extract<Principal, { kind: 'caller' }>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<LinkingWorld> {
    const world = await SignInWorld.start(env);
    await queryDatabase(world.database.url, KEEP_WHAT_IS_TOLD);
    const shop = await world.client(['https://shop.example']);
    if (shop.kind !== 'caller') throw new Error('a client application is a caller');
    return new LinkingWorld(world, shop);
  }

  stop(): Promise<void> {
    return this.signIn.stop();
  }

  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.signIn.database.url, sql, parameters);
  }

  /** Whom a wallet proves to be, as the gateway says it. Identity may not have heard of them. */
  userOf({ address }: { address: string }): User {
    const user = { id: deriveUserId('ethereum', address.toLowerCase()), account: `eip155:1:${address}` };
    return { ...this.shop, user, scopes: [...SCOPES] };
  }

  newUser(): User {
    return this.userOf(newKey());
  }

  /** A message for the user to have signed. */
  async message(user: User): Promise<string> {
    const response = await this.signIn.identity.get('/account/auth-message', user);
    const { message } = (await response.json()) as { message?: string };
    if (message === undefined) throw new Error(`No message: ${String(response.status)}`);
    return message;
  }

  link(user: User, body: object): Promise<Answer<LinkedWallet>> {
    return this.signIn.post('/account/wallet-address', user, body);
  }

  /** The whole way. */
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

  /** What a list has, or why there is none. */
  async list(path: string, user: User): Promise<ListAnswer> {
    const response = await this.signIn.identity.get(path, user);
    const { error, ...page } = (await response.json()) as ListAnswer & { error?: Problem };
    return { ...page, status: response.status, error };
  }

  /** What the queue of wallet events was told of a user, in order. */
  async told({ user }: User): Promise<WalletEvent[]> {
    const events = await this.query(
      `SELECT event FROM told, jsonb_array_elements(payload -> 'events') WITH ORDINALITY AS one (event, n)
       WHERE queue = 'wallet-events' AND event ->> 'userId' = $1 ORDER BY seq, n`,
      [user.id],
    );
    return z
      .array(z.object({ event: walletEvent }))
      .parse(events)
      .map(({ event }) => event);
  }

  /** The same in short. */
  async toldInShort(user: User): Promise<string[]> {
    return (await this.told(user)).map(({ type, accountId }) => `${type} ${accountId}`);
  }
}
