import { type HeaderSource, type KeySource, receiveCallback, type ReceivedCallback } from './callbacks.js';
import { toRoles } from './checks.js';
import type { Client } from './client.js';
import { GatehouseError } from './errors.js';
import type { components } from './openapi.js';
import { paginate } from './paginate.js';
import { request } from './request.js';

/** The roles that were acted on, by the member's id on the platform. It can be kept as JSON. */
export type FollowedRoles = Readonly<Record<string, readonly string[]>>;

export interface RoleFollowerOptions {
  /** The application that is attached to the community and gets its callbacks. */
  readonly clientId: string;
  readonly communityId: string;
  readonly platform: components['schemas']['CommunityMember']['platform'];
  /** Ids of the roles that matter. */
  readonly roles: readonly string[];
  /** Says of whom to take care. Default: of all members of the platform. */
  readonly isFollowed?: ((platformUserId: string) => boolean) | undefined;
  /** What `save` got last. Without it every member is new. */
  readonly members?: FollowedRoles | undefined;
  /** Keeps what was acted on for the next start. */
  readonly save: (members: FollowedRoles) => unknown;
  /**
   * Makes what is followed as the roles say. One call at a time. What fails is tried again at the next occasion, so that the same roles may come
   * twice.
   */
  readonly change: (
    platformUserId: string,
    roles: readonly string[],
    before: readonly string[],
  ) => Promise<void>;
  /** Hears what failed where nobody waits for an answer. */
  readonly onError: (error: unknown) => void;
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
  /** Compares all members with what was acted on: at the start, and from time to time for callbacks that were missed. */
  readonly reconcile: () => Promise<void>;
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
  /** What members had before a change that failed. */
  const failed = new Map<string, readonly string[]>();
  /** Members whom a callback named, and whose turn has not come. */
  const waiting = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  /** Two tasks that change the same member at once would leave what the slower one read. */
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  };

  const act = async (
    id: string,
    now: readonly string[],
    before?: readonly string[],
  ): Promise<readonly string[]> => {
    const roles = options.roles.filter((role) => now.includes(role));
    const isKnown = acted.get(id)?.join() === roles.join() && !failed.has(id);
    if (isKnown && before === undefined) return roles;
    const held = before ?? failed.get(id) ?? acted.get(id) ?? [];
    failed.set(id, held);
    await options.change(id, roles, held);
    acted.set(id, roles);
    await options.save(Object.fromEntries(acted));
    failed.delete(id);
    return roles;
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

  /** Acts on nothing before the whole list is there: half of it would take roles from the other half. */
  const compare = async (): Promise<void> => {
    const held = new Map(
      [...acted.keys(), ...failed.keys()].map((id): [string, readonly string[]] => [id, []]),
    );
    const list = { path: { communityId }, query: { limit: 100 } };
    for await (const member of paginate(client, 'GET /communities/{communityId}/members', list)) {
      const { platformUserId: id, roles } = member;
      if (member.platform === platform && id !== undefined && isFollowed(id)) held.set(id, roles);
    }
    for (const [id, roles] of held) await act(id, roles).catch(onError);
  };

  const refresh = (id: string, before?: readonly string[]): Promise<readonly string[]> =>
    inTurn(async () => act(id, await readRoles(id), before));

  /** A question that waits answers all callbacks that come meanwhile, so that no more wait than there are members. */
  const refreshSoon = (id: string): void => {
    if (waiting.has(id)) return;
    waiting.add(id);
    inTurn(async () => {
      waiting.delete(id);
      await act(id, await readRoles(id));
    }).catch(onError);
  };

  return {
    refresh,
    reconcile: () => inTurn(compare),
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
