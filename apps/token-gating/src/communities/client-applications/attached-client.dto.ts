import { EXAMPLES, tokenGatingRequest } from '@app/dto';
import { z } from 'zod';
import { communityParams } from '../access/community-params.js';

export const attachedClientList = z
  .object({
    items: z.array(
      z.object({
        clientId: z.string(),
        callbackUrl: z.string().optional(),
        callbackUrlVerified: z.boolean().optional().meta({
          description: 'Whether the receiver has answered its challenge; present with `callbackUrl`',
        }),
        createdTime: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'AttachedClientList' });
export type AttachedClientList = z.output<typeof attachedClientList>;

export const clientAttachment = z
  .strictObject({
    callbackUrl: tokenGatingRequest.shape.callbackUrl.meta({
      description:
        'URL that receives signed callbacks about role changes, once it has answered a signed challenge with 200 and ' +
        '`{"challenge": "<the same>"}`; none are sent when it is omitted',
    }),
  })
  .meta({ id: 'ClientAttachment', example: { callbackUrl: EXAMPLES.receiverUrl } });
export type ClientAttachment = z.output<typeof clientAttachment>;

export const attachedClientParams = communityParams.extend({
  clientId: z.string().min(1).max(128).meta({ example: EXAMPLES.clientId }),
});
export type AttachedClientParams = z.output<typeof attachedClientParams>;
