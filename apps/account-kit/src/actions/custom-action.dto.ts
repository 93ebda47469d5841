import { z } from 'zod';
import { ACTION_LIMITS } from './action-limits.js';

export const customActionRequest = z
  .strictObject({
    actionIpfs: z
      .string()
      .min(1)
      .max(128)
      .meta({ description: 'CID of an action on the list of the client application' }),
    actionJsParams: z
      .record(z.string(), z.unknown())
      .refine(
        (params) => Buffer.byteLength(JSON.stringify(params)) <= ACTION_LIMITS.paramsBytes,
        `must be at most ${ACTION_LIMITS.paramsBytes} bytes of JSON`,
      )
      .meta({ description: 'The frozen global `params` of the action' }),
  })
  .meta({
    id: 'ExecuteArbitraryCustomActionRequest',
    example: { actionIpfs: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG', actionJsParams: {} },
  });
export type CustomActionRequest = z.output<typeof customActionRequest>;

export const customActionResponse = z
  .object({
    response: z.object({
      actionAddress: z
        .string()
        .meta({ description: 'Address of the key that signed for the action. It owns no account.' }),
      result: z.unknown().meta({ description: 'The default export of the action' }),
    }),
  })
  .meta({ id: 'ExecuteArbitraryCustomActionResponse' });
export type CustomActionResponse = z.output<typeof customActionResponse>;
