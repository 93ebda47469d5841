import { conflict, notFound } from '@app/common';
import { z } from 'zod';

export const operationNotFound = () => notFound('operation_not_found', 'There is no such operation.');

export const operationConflict = (state: string) =>
  conflict(
    'operation_conflict',
    `The operation is ${state}: only one that is signed, stuck or expired can be cancelled, and with a bundler one that is submitted.`,
  );

/** Why an operation is cancelled, as the owner of its account reads it when the operation is `rejected`. */
export const CANCELLATION_CAUSES = {
  asked: 'cancelled: a client application asked for it',
  deployed: 'cancelled: another transaction has deployed the account',
  unfunded: 'cancelled: the account could not pay for its gas',
  underpriced: 'cancelled: its maxFeePerGas was below the base fee for 30 minutes',
  late: 'cancelled: it was in no block for an hour',
  lapsed: 'cancelled: it was not executed within a day',
  frozen: 'cancelled: operators have frozen its client application, and another one wants its nonce',
  /** The cancellation replaces no operation that could run, or an earlier cancellation that cannot run. */
  lane: 'cancelled: later operations of the lane wait for its nonce',
} as const;
export type CancellationCause = keyof typeof CANCELLATION_CAUSES;

/** A cause that only a later release knows is read as `lane`, because it must not end the loop that repairs the lanes of all tenants. */
export const storedCause = z.enum(Object.keys(CANCELLATION_CAUSES) as CancellationCause[]).catch('lane');

/** SQL of the cause of a cancellation; null without details. */
export const causeOf = (cancellation: string): string =>
  `coalesce(${cancellation}.details ->> 'exactCause', ${cancellation}.details ->> 'cause')`;

/** Details that a cancellation stores. Instances of a release without the cause `frozen` would throw at it in their loop, so they read `lapsed`. */
export const toCauseDetails = (cause: CancellationCause) =>
  cause === 'frozen' ? { cause: 'lapsed', exactCause: cause } : { cause };
