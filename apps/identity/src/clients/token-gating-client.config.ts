import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** What it takes to ask token-gating, in identity's own name. */
export const tokenGatingClientConfigSchema = principalIssuerConfigSchema.extend({
  TOKEN_GATING_URL: envOrigin,
});

export class TokenGatingClientConfig extends createConfigClass(tokenGatingClientConfigSchema) {}
