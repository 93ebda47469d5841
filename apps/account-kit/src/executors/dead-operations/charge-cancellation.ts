import { lockTransaction, type Queryable } from '@app/database';
import type { EntityManager } from 'typeorm';
import type { Cap } from '../../caps/cap.js';
import { measureOperation } from '../../caps/measure-operation.js';
import { toReservations } from '../../caps/reservation.js';
import { type NewReservations, reserve } from '../../caps/reservations.queries.js';
import { policyLimitExceeded } from '../../policy-rules/policies.errors.js';
import { findPolicies } from '../../policies/policies.queries.js';
import { reserveWithinCaps } from '../../policies/reserve-within-caps.js';
import type { RequestDeadline } from '../../request-deadline.js';
import { countAskedCancellations } from './cancellation.repository.js';

/** Cancellations that one client application may ask for on one UTC day (contract.md section 10). */
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
  /** What it may cost whoever pays for it, in wei. */
  readonly cost: bigint;
}

/** @throws AppError 403 `policy_limit_exceeded`, `policy_forbidden`, 503 `acceptance_timeout` */
export async function chargeAsked(
  manager: EntityManager,
  cancellation: ChargedCancellation,
  { clientId, caps, deadline }: AskingClient,
): Promise<void> {
  await lockTransaction(manager, `cancellations of ${clientId}`);
  const { count, endsAt } = await countAskedCancellations(manager, clientId);
  // The cancellation itself is stored already.
  if (count > MAX_CANCELLATIONS_PER_DAY)
    throw policyLimitExceeded(`${MAX_CANCELLATIONS_PER_DAY} cancellations a day`, endsAt);
  await reserveWithinCaps(manager, toRequest(cancellation, caps));
  // The statements may have waited for locks.
  deadline.check();
}

/** Counts a cancellation that the service makes: it is counted under the caps of the application that wants the nonce, and never refused by them. */
export async function chargeWanted(db: Queryable, cancellation: ChargedCancellation): Promise<void> {
  const [policy] = await findPolicies(db, [cancellation.clientId]);
  if (policy instanceof Error) throw policy;
  await reserve(db, [toRequest(cancellation, policy?.caps ?? [])], { isForced: true });
}

function toRequest(
  { operationId, accountId, clientId, chainId, cost }: ChargedCancellation,
  caps: readonly Cap[],
): NewReservations {
  const uses = measureOperation(caps, { chainId, isMint: false, calls: [], maxGasCost: cost });
  return { operationId, clientId, reservations: toReservations(uses, accountId, new Date()) };
}
