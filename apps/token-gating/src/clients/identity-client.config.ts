import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** What it takes to ask identity, in this app's own name. */
export const identityClientConfigSchema = principalIssuerConfigSchema.extend({ IDENTITY_URL: envOrigin });

export class IdentityClientConfig extends createConfigClass(identityClientConfigSchema) {}
