import { EXAMPLES, tokenGatingRequest } from '@app/dto';
import { z } from 'zod';
import { keepOriginal } from '../checks/keep-original.js';

/** Asynchronous checks store the original request. */
export const checkRolesBody = keepOriginal(tokenGatingRequest);
export type CheckRolesBody = z.output<typeof checkRolesBody>;

export const checkResponseParams = z.object({
  requestId: z.string().min(1).max(128).meta({ example: EXAMPLES.requestId }),
});
export type CheckResponseParams = z.output<typeof checkResponseParams>;

export const redelivery = z
  .object({ requestId: z.string(), deliveryId: z.string() })
  .meta({ id: 'Redelivery', description: 'A callback that is sent again, with a new delivery id.' });
export type Redelivery = z.output<typeof redelivery>;

export const memberParams = z.object({
  communityId: z.string().min(1).max(128).meta({ example: EXAMPLES.communityId }),
  userId: z.string().min(1).max(256).meta({ example: EXAMPLES.holderId }),
});
export type MemberParams = z.output<typeof memberParams>;
