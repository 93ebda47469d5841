import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings for requests to identity, signed with this app's key. */
const identityClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ IDENTITY_URL: true }).shape,
);

export class IdentityClientConfig extends createConfigClass(identityClientConfigSchema) {}
