import { DAY_MS, DAY_SECONDS, HOUR_SECONDS } from '@app/common';
import { EXAMPLES, PORTAL_SCOPES, scope } from '@app/dto';
import { z } from 'zod';
import { applicationName } from '../client-application-fields.js';
import { type KeyTerms, UNLIMITED_KEY } from '../entities/api-key.entity.js';

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
    lost: z.boolean().optional().meta({
      description:
        'Whether nobody has the old credential: while the one before it is valid, the old one ends now, and the one before keeps its end',
    }),
  })
  .meta({ id: 'CredentialRotation', example: { overlapSeconds: HOUR_SECONDS } });
export type Rotation = z.output<typeof rotation>;

/** Names of keys follow the rules for names of applications. */
export const keyName = applicationName;

const MAX_KEY_LIFETIME_DAYS = 3_660;

const isInTime = (text: string): boolean => {
  const leftMs = Date.parse(text) - Date.now();
  return leftMs > 0 && leftMs <= MAX_KEY_LIFETIME_DAYS * DAY_MS;
};

export const newApiKey = z
  .strictObject({
    name: keyName.optional().meta({ description: 'Shown to the owner' }),
    scopes: z
      .array(scope.exclude(PORTAL_SCOPES))
      .min(1)
      .max(50)
      .transform((all) => [...new Set(all)])
      .optional()
      .meta({
        description:
          'What the key may do, as long as the application has the scope, too. Omitted: all scopes of the application, now and later',
      }),
    expiresTime: z.iso
      .datetime({ offset: true })
      .refine(isInTime, `must be in the future, and at most ${MAX_KEY_LIFETIME_DAYS} days from now`)
      .optional()
      .meta({ description: 'When the key ends. Omitted: when it is revoked' }),
  })
  .meta({ id: 'NewApiKey', example: { name: 'Server', scopes: ['token-gating'] } });
export type NewApiKey = z.output<typeof newApiKey>;

export const toKeyTerms = ({ name, scopes, expiresTime }: NewApiKey = {}): KeyTerms => ({
  ...UNLIMITED_KEY,
  ...(name !== undefined && { name }),
  ...(scopes && { scopes }),
  ...(expiresTime !== undefined && { expiresAt: new Date(expiresTime) }),
});

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
    name: z.string().optional(),
    scopes: z.array(scope).optional().meta({
      description:
        'The key has those of them that the application has now; absent for a key with all of them',
    }),
    expiresTime: z.iso
      .datetime()
      .optional()
      .meta({ description: 'Set for a key with an end, and after a rotation' }),
    lastUsedTime: z.iso.datetime().optional().meta({
      description: 'The beginning of the hour of the last use; absent while no use was seen',
    }),
  })
  .meta({ id: 'ApiKey' });

export const apiKeyList = z.object({ items: z.array(apiKey) }).meta({ id: 'ApiKeyList' });
export type ApiKeyListItem = z.output<typeof apiKey>;
