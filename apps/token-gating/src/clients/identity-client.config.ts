import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** Settings for requests to identity, signed with this app's key. */
export const identityClientConfigSchema = principalIssuerConfigSchema.extend({ IDENTITY_URL: envOrigin });

export class IdentityClientConfig extends createConfigClass(identityClientConfigSchema) {}
