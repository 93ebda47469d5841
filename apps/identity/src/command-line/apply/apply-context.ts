import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@app/common';
import type { GatehouseApi } from '../gatehouse-api.js';
import { isWaitingForApproval, type Plan } from './plan.js';
import {
  type RemoteApplication,
  remoteApplications,
  type RemoteCommunity,
  remoteCommunityPage,
} from './remote-schemas.js';

/** Gateways and apps hear of an approval within five seconds. */
const APPROVAL_ATTEMPTS = 8;
/** A run removes its own within seconds. */
const SETTLING_ATTEMPTS = 5;
const PAGE_LIMIT = '100';

export interface ApplyOptions {
  readonly isPruned: boolean;
  readonly replacesLost: boolean;
}

/** An application of the file: its id is known from the start, or once it was created. */
export interface ApplicationHandle {
  readonly name: string;
  clientId: string | undefined;
}

/** What the plans of one run share. */
export interface ApplyContext extends ApplyOptions {
  readonly api: GatehouseApi;
  /** Another caller of the same deployment, by the API key of an application. */
  readonly withApiKey: (key: string) => GatehouseApi;
  readonly userId: string;
  readonly plan: Plan;
  readonly applications: Map<string, ApplicationHandle>;
  /** All applications of the user that existed before the run, where the file names any. */
  readonly ownClientIds: Set<string>;
  /** Whether an application of the file is approved, perhaps just now: other parts of the deployment hear of it a moment later. */
  hasApproved: boolean;
}

/** The id of a created application. @throws Error where a step runs before the one that creates it */
export function requireClientId({ clientId, name }: ApplicationHandle): string {
  if (clientId === undefined) throw new Error(`Application "${name}" is not created yet.`);
  return clientId;
}

/** All applications of the user, oldest first. */
export const listOwnApplications = async (api: GatehouseApi): Promise<RemoteApplication[]> =>
  (await api.call('GET', '/client-applications', remoteApplications)).items;

/** All communities that the user owns or administers. */
export async function listAdministrated(api: GatehouseApi): Promise<RemoteCommunity[]> {
  const found: RemoteCommunity[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({
      limit: PAGE_LIMIT,
      ...(token !== undefined && { paginationToken: token }),
    });
    const path = `/account/administrated-communities?${query.toString()}`;
    const page = await api.call('GET', path, remoteCommunityPage);
    found.push(...page.items);
    token = page.paginationToken;
  } while (token !== undefined);
  return found;
}

/**
 * Lists objects of the user again for some seconds while several have one of these names: other runs have made them at the same time, and remove
 * all but one (settle-twins.ts).
 */
export async function listSettled<T extends { readonly name: string }>(
  list: () => Promise<T[]>,
  names: readonly string[],
  isOwn: (one: T) => boolean = () => true,
): Promise<T[]> {
  for (let attempt = 1; ; attempt++) {
    const all = await list();
    const own = all.filter(isOwn);
    const isSettled = names.every((name) => own.filter((one) => one.name === name).length < 2);
    if (isSettled || attempt >= SETTLING_ATTEMPTS) return all;
    await sleep(SECOND_MS);
  }
}

/** Repeats for some seconds what an approval of a moment ago allows. */
export async function afterApproval<T>(context: ApplyContext, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!context.hasApproved || attempt >= APPROVAL_ATTEMPTS || !isWaitingForApproval(error)) throw error;
      await sleep(SECOND_MS);
    }
  }
}

/**
 * The objects of this name, which identifies them among those of their owner.
 * @param id that the file gives, which counts in the place of the name
 * @returns undefined after adding a problem
 */
export function findByName<T extends { readonly name: string }>(
  { plan }: ApplyContext,
  all: readonly T[],
  wanted: {
    readonly kind: string;
    readonly name: string;
    readonly id: string | undefined;
    readonly idField: string;
    readonly toId: (one: T) => string;
  },
): { readonly existing: T | undefined } | undefined {
  const { kind, name, id, idField, toId } = wanted;
  if (id !== undefined) {
    const existing = all.find((one) => toId(one) === id);
    if (existing) return { existing };
    plan.problems.push(`${kind} "${name}": you have none with the ${idField} ${id}.`);
    return undefined;
  }
  const named = all.filter((one) => one.name === name);
  if (named.length <= 1) return { existing: named[0] };
  plan.problems.push(
    `${kind} "${name}": ${String(named.length)} have this name (${named.map(toId).join(', ')}). ` +
      `Rename one of them, or say which one is meant by ${idField}.`,
  );
  return undefined;
}
