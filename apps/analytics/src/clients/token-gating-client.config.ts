import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings for requests to token-gating, signed with this app's key. */
const tokenGatingClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ TOKEN_GATING_URL: true }).shape,
);

export class TokenGatingClientConfig extends createConfigClass(tokenGatingClientConfigSchema) {}
