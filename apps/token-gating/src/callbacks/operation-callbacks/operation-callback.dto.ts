import { EXAMPLES, tokenGatingRequest } from '@app/dto';
import { z } from 'zod';

export const operationCallbackRegistration = z
  .strictObject({
    callbackUrl: tokenGatingRequest.shape.callbackUrl.unwrap().meta({
      description:
        'URL that receives signed callbacks about operations, once it has answered a signed challenge with 200 and ' +
        '`{"challenge": "<the same>"}`',
    }),
  })
  .meta({ id: 'OperationCallbackRegistration', example: { callbackUrl: EXAMPLES.receiverUrl } });
export type OperationCallbackRegistration = z.output<typeof operationCallbackRegistration>;

export const registeredOperationCallback = z
  .object({
    callbackUrl: z.string(),
    callbackUrlVerified: z.boolean().meta({ description: 'Whether the receiver has answered its challenge' }),
    createdTime: z.iso.datetime(),
  })
  .meta({ id: 'RegisteredOperationCallback' });
export type RegisteredOperationCallback = z.output<typeof registeredOperationCallback>;
