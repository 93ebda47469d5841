import { EXAMPLES } from '@app/dto';
import { z } from 'zod';

export const mintRequest = z
  .strictObject({
    name: z.string().min(1),
    symbol: z.string().min(1),
    metadata: z.looseObject({
      description: z.string().optional(),
      website_link: z.string().optional(),
      image: z.string().optional(),
      nsfw: z.boolean().optional(),
    }),
    recipient: z.string(),
  })
  .meta({
    id: 'FungibleTokenMintRequest',
    example: { name: 'Demo', symbol: 'DMO', metadata: {}, recipient: EXAMPLES.holder },
  });

const response = z.looseObject({});

export const mintResponse = z.object({ response }).meta({ id: 'MintFungibleTokenResponse' });

export const customActionRequest = z
  .strictObject({ actionIpfs: z.string().min(1), actionJsParams: z.record(z.string(), z.unknown()) })
  .meta({ id: 'ExecuteArbitraryCustomActionRequest', example: { actionIpfs: 'Qm', actionJsParams: {} } });

export const customActionResponse = z
  .object({ response })
  .meta({ id: 'ExecuteArbitraryCustomActionResponse' });
