import { type HeaderSource, type KeySource, receiveCallback, type ReceivedCallback } from './callbacks.js';
import { toRoles } from './checks.js';
import type { Client } from './client.js';
import { GatehouseError } from './errors.js';
import { paginate } from './paginate.js';
import { request } from './request.js';
import type { Input } from './routes.js';

type Report = Input<'PUT /communities/{communityId}/platform-users'>['body'];

/** The roles that were acted on, by the member's id on the platform. It can be kept as JSON. */
export type FollowedRoles = Readonly<Record<string, readonly string[]>>;

export interface RoleFollowerOptions {
  /** The application that is attached to the community and gets its callbacks. */
  readonly clientId: string;
  readonly communityId: string;
  readonly platform: Report['users'][number]['platform'];
  /** Ids of the roles that matter. */
  readonly roles: readonly string[];
  /** Says of whom to take care. Default: of all members of the platform. */
  readonly isFollowed?: ((platformUserId: string) => boolean) | undefined;
  /** What `save` got last. Without it every member is new. */
  readonly members?: FollowedRoles | undefined;
  /** Keeps what was acted on for the next start. */
  readonly save: (members: FollowedRoles) => unknown;
  /**
   * Makes what is followed as the roles say. One call at a time, so wait for nothing that need not be done. What fails is tried again by `retry` and
   * `reconcile`, so that the same roles may come twice.
   */
  readonly change: (
    platformUserId: string,
    roles: readonly string[],
    before: readonly string[],
  ) => Promise<void>;
  /** Hears what failed where nobody waits for an answer. */
  readonly onError: (error: unknown) => void;
}

/** What somebody is told who asks. */
export interface Joined {
  /** What the person holds of the roles that matter. */
  readonly roles: readonly string[];
  /** A page for this person alone; none for who holds a role. */
  readonly walletPage?: string;
}

/** Keeps something outside as the roles of a community are, such as a group of a chat platform. */
export interface RoleFollower {
  /** Answers a callback, and acts on it afterwards. It rejects where the keys cannot be loaded: answer 503. */
  readonly receive: (headers: HeaderSource, body: string) => Promise<ReceivedCallback>;
  /**
   * Reads the roles that a member holds now, which asks the chains, and acts on them.
   * @param before in place of the roles that were acted on: `change` is called in any case
   * @returns those of the roles that matter, none for somebody who is no member
   */
  readonly refresh: (platformUserId: string, before?: readonly string[]) => Promise<readonly string[]>;
  /**
   * Adds somebody who asks to the community, and acts on their roles in any case, as if they had none before. It costs three requests at most, and
   * none where somebody asks again within half a minute and nothing has changed.
   * @returns their roles, and for who has none a page on which they link a wallet, for them alone
   */
  readonly join: (platformUserId: string, username?: string) => Promise<Joined>;
  /**
   * Compares all members with what was acted on: at the start, and once a day for callbacks that were missed. It costs a request for each hundred
   * members.
   */
  readonly reconcile: () => Promise<void>;
  /** Tries again what failed, every few minutes: a change as it was, without a request, and a member whose roles could not be read. */
  readonly retry: () => Promise<void>;
}

/** A list of ten thousand changes is not written ten thousand times. */
const SAVE_MS = 1_000;
/** A person who asks all the time would use up the requests of the month. */
const REPEAT_MS = 30_000;

interface Pending {
  /** Roles in place of those that were acted on, for `change`, which is then called in any case. */
  readonly before: readonly string[] | undefined;
  /** None where they are still to be read. */
  readonly roles?: readonly string[];
}

/**
 * Follows the roles of a community. A callback only says whose roles have changed, and the roles of now are asked for: so callbacks may come
 * late, twice and in any order.
 */
export function createRoleFollower(
  client: Client,
  keys: KeySource,
  options: RoleFollowerOptions,
): RoleFollower {
  const { communityId, platform, onError, isFollowed = () => true } = options;
  const acted = new Map(Object.entries(options.members ?? {}));
  /** What is not done yet, or failed, by the member's id. No more than there are members and people who asked. */
  const pending = new Map<string, Pending>();
  /** Members whom a callback named, and whose turn has not come. */
  const waiting = new Set<string>();
  /** Answers to those who asked in the last half minute, the oldest first. */
  const answers = new Map<string, { readonly joined: Joined; readonly at: number }>();
  let last: Promise<unknown> = Promise.resolve();
  let isSaved = true;

  /** Two tasks that change the same member at once would leave what the slower one read. */
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };

  const act = async (
    id: string,
    now: readonly string[],
    before: readonly string[] | undefined = pending.get(id)?.before,
  ): Promise<readonly string[]> => {
    const roles = options.roles.filter((role) => now.includes(role));
    const known = acted.get(id);
    if (before !== undefined || known?.join() !== roles.join()) {
      const held = before ?? known ?? [];
      pending.set(id, { before: held, roles });
      await options.change(id, roles, held);
      acted.set(id, roles);
      if (known?.join() !== roles.join()) answers.delete(id);
      isSaved = false;
    }
    pending.delete(id);
    return roles;
  };

  const save = async (): Promise<void> => {
    if (isSaved) return;
    await options.save(Object.fromEntries(acted));
    isSaved = true;
  };

  const readRoles = async (userId: string): Promise<readonly string[]> => {
    try {
      const path = { communityId, userId };
      const route = 'GET /access-control/{communityId}/{userId}/roles';
      const { roles } = toRoles(await request(client, route, { path }));
      return roles.filter(({ granted }) => granted).map(({ id }) => id);
    } catch (error) {
      if (error instanceof GatehouseError && error.code === 'member_not_found') return [];
      throw error;
    }
  };

  /** Remembers before it asks: a member whose roles cannot be read is one for `retry`. */
  const look = async (id: string, before = pending.get(id)?.before): Promise<readonly string[]> => {
    pending.set(id, { before });
    const roles = await act(id, await readRoles(id), before);
    await save();
    return roles;
  };

  /** Acts on nothing before the whole list is there: half of it would take roles from the other half. */
  const compare = async (): Promise<void> => {
    const listed = new Map<string, readonly string[]>();
    const list = { path: { communityId }, query: { limit: 100 } };
    for await (const member of paginate(client, 'GET /communities/{communityId}/members', list)) {
      const { platformUserId: id, roles } = member;
      if (member.platform === platform && id !== undefined && isFollowed(id)) listed.set(id, roles);
    }
    let savedAt = Date.now();
    for (const id of new Set([...acted.keys(), ...pending.keys(), ...listed.keys()])) {
      await act(id, listed.get(id) ?? []).catch(onError);
      if (!listed.has(id) && acted.get(id)?.length === 0 && acted.delete(id)) isSaved = false;
      if (Date.now() - savedAt < SAVE_MS) continue;
      savedAt = Date.now();
      await save();
    }
    await save();
  };

  const retry = async (): Promise<void> => {
    for (const [id, { before, roles }] of [...pending])
      await (roles ? act(id, roles, before) : look(id)).catch(onError);
    await save();
  };

  const refresh = (id: string, before?: readonly string[]): Promise<readonly string[]> =>
    inTurn(() => look(id, before));

  const recall = (id: string): Joined | undefined => {
    for (const [other, { at }] of answers) {
      if (Date.now() - at < REPEAT_MS) break;
      answers.delete(other);
    }
    return answers.get(id)?.joined;
  };

  const join = async (id: string, username?: string): Promise<Joined> => {
    const recalled = recall(id);
    if (recalled) {
      if (recalled.roles.length > 0) await inTurn(() => act(id, recalled.roles, []));
      return recalled;
    }
    const path = { communityId, platformUserId: id };
    const users = [{ platform, platformUserId: id, ...(username !== undefined && { username }) }];
    await request(client, 'PUT /communities/{communityId}/platform-users', { path, body: { users } });
    const roles = await refresh(id, []);
    let joined: Joined = { roles };
    if (roles.length === 0) {
      const route = 'POST /communities/{communityId}/platform-users/{platformUserId}/wallet-challenges';
      const { url } = await request(client, route, { path, isRepeatable: true });
      joined = { roles, walletPage: url };
    }
    answers.set(id, { joined, at: Date.now() });
    return joined;
  };

  /** A question that waits answers all callbacks that come meanwhile, so that no more wait than there are members. */
  const refreshSoon = (id: string): void => {
    if (waiting.has(id)) return;
    waiting.add(id);
    inTurn(async () => {
      waiting.delete(id);
      await look(id);
    }).catch(onError);
  };

  return {
    refresh,
    join,
    reconcile: () => inTurn(compare),
    retry: () => inTurn(retry),
    receive: async (headers, body) => {
      const received = await receiveCallback(keys, options.clientId, headers, body);
      const { callback } = received;
      if (!callback || !('communityId' in callback) || callback.communityId !== communityId) return received;
      const { platformUserId: id } = callback;
      if (callback.platform === platform && id !== undefined && isFollowed(id)) refreshSoon(id);
      return received;
    },
  };
}
