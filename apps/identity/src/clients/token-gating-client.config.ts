import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** Settings of the client for token-gating's internal API. */
export const tokenGatingClientConfigSchema = principalIssuerConfigSchema.extend({
  TOKEN_GATING_URL: envOrigin,
});

export class TokenGatingClientConfig extends createConfigClass(tokenGatingClientConfigSchema) {}
