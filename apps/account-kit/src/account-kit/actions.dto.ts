import { z } from 'zod';

export const customActionRequest = z
  .strictObject({ actionIpfs: z.string().min(1), actionJsParams: z.record(z.string(), z.unknown()) })
  .meta({ id: 'ExecuteArbitraryCustomActionRequest', example: { actionIpfs: 'Qm', actionJsParams: {} } });

export const customActionResponse = z
  .object({ response: z.looseObject({}) })
  .meta({ id: 'ExecuteArbitraryCustomActionResponse' });
