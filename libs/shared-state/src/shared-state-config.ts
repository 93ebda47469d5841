import { envRedisUrl } from '@app/config';
import { z } from 'zod';

/** What an app that shares state with its replicas reads from its environment. */
export const sharedStateConfigSchema = z.object({
  /** With it counters and news live on this Redis or Valkey. */
  REDIS_URL: envRedisUrl.optional(),
});
