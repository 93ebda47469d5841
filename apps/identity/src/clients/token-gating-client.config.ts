import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings of the client for token-gating's internal API. */
const tokenGatingClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ TOKEN_GATING_URL: true }).shape,
);

export class TokenGatingClientConfig extends createConfigClass(tokenGatingClientConfigSchema) {}
