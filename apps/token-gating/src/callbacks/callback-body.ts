import { tokenGatingResponse } from '@app/dto';
import { z } from 'zod';
import { type ClaimedDelivery, type RoleChangeSubject, roleChangeSubject } from './delivery.js';

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

type CallbackBody = z.input<typeof checkCallback> & Partial<RoleChangeSubject>;

/** `errors` is omitted when empty. */
export function toCallbackBody({ requestId, clientId, payload }: ClaimedDelivery): CallbackBody {
  const { errors, ...content } = payload;
  return { requestId, clientId, ...content, ...(errors.length > 0 ? { errors } : {}) };
}
