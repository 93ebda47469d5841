import { z } from 'zod';
import { internalKeys, internalSigningKey } from './internal-keys.js';

/** What every service needs to know whom to believe. */
export const verifierConfigSchema = z.object({ INTERNAL_KEYS: internalKeys });

/** What an app needs that calls other apps. */
export const issuerConfigSchema = z.object({ INTERNAL_SIGNING_KEY: internalSigningKey });
