import { lockTransaction } from '@app/database';
import type { EntityManager } from 'typeorm';
import { type Cap, toReservations } from '../../../limits/cap.js';
import { measureOperation } from '../../../limits/measure-operation.js';
import { type NewReservations, reserve } from '../../../limits/reservations.queries.js';
import { policyLimitExceeded } from '../../../policies/rules/policies.errors.js';
import { findPolicies } from '../../../policies/policies.queries.js';
import { reserveWithinCaps } from '../../../policies/reserve-within-caps.js';
import type { RequestDeadline } from '../../../request-deadline.js';
import { countCancellations } from './lanes.queries.js';

/**
 * Cancellations that one client application may ask for on one UTC day, and that a sponsor or an executor pays for it where its policy does
 * not sponsor the chain (contract.md section 10).
 */
const MAX_CANCELLATIONS_PER_DAY = 50;

/** A client application that asks for a cancellation, with the caps of its policy. */
export interface AskingClient {
  readonly clientId: string;
  readonly caps: readonly Cap[];
  readonly deadline: RequestDeadline;
}

interface ChargedCancellation {
  readonly operationId: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly chainId: number;
  /** The most that the cancellation may cost whoever pays for it, in wei. */
  readonly cost: bigint;
  /** A sponsor or an executor pays for an application whose policy does not sponsor the chain. */
  readonly isPaidBeyondPolicy: boolean;
}

/** @throws AppError 403 `policy_limit_exceeded`, `policy_forbidden`, 503 `acceptance_timeout` */
export async function chargeAsked(
  manager: EntityManager,
  cancellation: ChargedCancellation,
  { clientId, caps, deadline }: AskingClient,
): Promise<void> {
  await checkCount(manager, clientId, 'asked');
  if (cancellation.isPaidBeyondPolicy) await checkCount(manager, clientId, 'beyondPolicy');
  await reserveWithinCaps(manager, toRequest(cancellation, caps));
  // The statements may have waited for locks.
  deadline.check();
}

/**
 * Counts a cancellation that the service makes under the caps of the application that wants the nonce, which never refuse it. At most one
 * operation of a nonce is executed, so a policy that sponsors the chain has let the sponsor pay for the nonce. Otherwise a tenant could let
 * the sponsor pay for all lanes of its accounts by spending their coins, or an executor for operations that lapse: such cancellations are
 * limited by their number.
 * @throws AppError 403 `policy_limit_exceeded`
 */
export async function chargeWanted(manager: EntityManager, cancellation: ChargedCancellation): Promise<void> {
  if (cancellation.isPaidBeyondPolicy) await checkCount(manager, cancellation.clientId, 'beyondPolicy');
  const [policy] = await findPolicies(manager, [cancellation.clientId]);
  if (policy instanceof Error) throw policy;
  await reserve(manager, [toRequest(cancellation, policy?.caps ?? [])], { isForced: true });
}

/** The cancellation itself is stored already. */
async function checkCount(
  manager: EntityManager,
  clientId: string,
  counted: Parameters<typeof countCancellations>[2],
): Promise<void> {
  await lockTransaction(manager, `cancellations of ${clientId}`);
  const { count, endsAt } = await countCancellations(manager, clientId, counted);
  if (count > MAX_CANCELLATIONS_PER_DAY)
    throw policyLimitExceeded(`${MAX_CANCELLATIONS_PER_DAY} cancellations a day`, endsAt);
}

function toRequest(
  { operationId, accountId, clientId, chainId, cost }: ChargedCancellation,
  caps: readonly Cap[],
): NewReservations {
  const uses = measureOperation(caps, { chainId, isMint: false, calls: [], maxGasCost: cost });
  return { operationId, clientId, reservations: toReservations(uses, accountId, new Date()) };
}
