import { DAY_SECONDS, HOUR_SECONDS } from '@app/common';
import { EXAMPLES } from '@app/dto';
import { z } from 'zod';

export const applicationParams = z.object({
  clientId: z.string().min(1).max(64).meta({ example: EXAMPLES.clientId }),
});
export type ApplicationParams = z.output<typeof applicationParams>;

export const keyParams = applicationParams.extend({
  keyId: z.string().min(1).max(64).meta({ example: 'key' }),
});
export type KeyParams = z.output<typeof keyParams>;

export const rotation = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * DAY_SECONDS)
      .default(DAY_SECONDS)
      .meta({ description: 'How long the old credential stays valid; 0 revokes it now' }),
  })
  .meta({ id: 'CredentialRotation', example: { overlapSeconds: HOUR_SECONDS } });
export type Rotation = z.output<typeof rotation>;

export const issuedApiKey = z
  .object({ keyId: z.string(), apiKey: z.string().meta({ description: 'Shown once' }) })
  .meta({ id: 'IssuedApiKey' });

export const issuedClientSecret = z
  .object({ clientSecret: z.string().meta({ description: 'Shown once' }) })
  .meta({ id: 'IssuedClientSecret' });

const apiKey = z
  .object({
    keyId: z.string(),
    hint: z.string().meta({ description: 'Identifies the key without revealing it' }),
    createdTime: z.iso.datetime(),
    expiresTime: z.iso.datetime().optional().meta({ description: 'Set after a rotation' }),
  })
  .meta({ id: 'ApiKey' });

export const apiKeyList = z.object({ items: z.array(apiKey) }).meta({ id: 'ApiKeyList' });
export type ApiKeyListItem = z.output<typeof apiKey>;
