import { tokenGatingResponse } from '@app/dto';
import { z } from 'zod';
import {
  type ClaimedDelivery,
  type OperationChange,
  operationChange,
  type RoleChangeSubject,
  roleChangeSubject,
} from './delivery.js';
import type { EndpointEvent } from './endpoints/endpoint-events.js';

/** Callback body of a check (contract.md section 6). */
export const checkCallback = z
  .object({
    requestId: z.uuid(),
    clientId: z.string(),
    ...tokenGatingResponse.pick({ roles: true, errors: true }).required({ roles: true }).shape,
  })
  .meta({ id: 'CheckCallback', description: 'The result of an asynchronous check.' });

/** Callback body of a role change. */
export const roleCallback = z
  .object({ ...checkCallback.shape, ...roleChangeSubject.shape })
  .meta({ id: 'RoleCallback', description: 'Roles of a community member that have changed.' });

/** Callback body of a challenge. `roles` is empty, so that a receiver that knows no challenges changes nothing. */
export const receiverChallenge = z
  .object({ ...checkCallback.shape, communityId: z.string(), challenge: z.string() })
  .meta({
    id: 'ReceiverChallenge',
    description: 'A receiver answers 200 with the same `challenge` and nothing else.',
  });

const clientOnly = z.object({ clientId: z.string() });

/** Callback body of an operation whose state has changed. `seq` rises with each change of the operation. */
export const operationCallback = z
  .union(operationChange.options.map((change) => clientOnly.extend(change.shape)))
  .meta({ id: 'OperationCallback', description: 'The state of a user operation or Solana transaction.' });

/** Callback body of the challenge of a receiver of operations, and of an endpoint. */
export const operationReceiverChallenge = clientOnly
  .extend({ requestId: z.uuid(), challenge: z.string() })
  .meta({
    id: 'OperationReceiverChallenge',
    description: 'A receiver answers 200 with the same `challenge` and nothing else.',
  });

/** What a receiver answers a challenge with. Strict, so that a server that returns any request is no receiver. */
export const challengeAnswer = z.strictObject({ challenge: z.string() });

type RoleCallbackBody = z.input<typeof checkCallback> & Partial<RoleChangeSubject> & { challenge?: string };
type OperationCallbackBody = { clientId: string } & (
  | OperationChange
  | { requestId: string; challenge: string }
);

export function toCallbackBody({
  requestId,
  clientId,
  endpointId,
  payload,
}: ClaimedDelivery): RoleCallbackBody | OperationCallbackBody | EndpointEvent {
  const { errors, receiver, operation, event, ...content } = payload;
  if (endpointId !== null) return event ?? { requestId, clientId, challenge: content.challenge ?? '' };
  if (receiver === undefined)
    // `errors` is omitted when empty.
    return { requestId, clientId, ...content, ...(errors.length > 0 ? { errors } : {}) };
  if (operation) return { clientId, ...operation };
  return { requestId, clientId, challenge: content.challenge ?? '' };
}
