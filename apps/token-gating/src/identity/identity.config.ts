import { issuerConfigSchema } from '@app/auth';
import { configClass, envOrigin } from '@app/config';

/** What it takes to ask identity, in this app's own name. */
export const askIdentityConfigSchema = issuerConfigSchema.extend({ IDENTITY_URL: envOrigin });

export class AskIdentityConfig extends configClass(askIdentityConfigSchema) {}
