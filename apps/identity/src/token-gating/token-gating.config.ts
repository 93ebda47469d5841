import { issuerConfigSchema } from '@app/auth';
import { configClass, envOrigin } from '@app/config';

/** What it takes to ask token-gating, in identity's own name. */
export const tokenGatingConfigSchema = issuerConfigSchema.extend({ TOKEN_GATING_URL: envOrigin });

export class TokenGatingConfig extends configClass(tokenGatingConfigSchema) {}
