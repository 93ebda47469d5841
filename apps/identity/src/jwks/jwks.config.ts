import { issuerConfigSchema } from '@app/auth';
import { configClass, envOrigin } from '@app/config';

/** What it takes to ask token-gating for its keys, in identity's own name. */
export const jwksConfigSchema = issuerConfigSchema.extend({ TOKEN_GATING_URL: envOrigin });

export class JwksConfig extends configClass(jwksConfigSchema) {}
