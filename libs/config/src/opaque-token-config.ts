import { z } from 'zod';
import { envSecret } from './env-types.js';

/** What keys of opaque texts are derived from (`derivedKey`): page tokens, invitations. The same in every instance. */
export const opaqueTokenConfigSchema = z.object({ OPAQUE_TOKEN_SECRET: envSecret });
