import { issuerConfigSchema } from '@app/auth';
import { configClass, envOrigin } from '@app/config';

/** What it takes to ask a gateway what it has counted, in identity's own name. */
export const usageConfigSchema = issuerConfigSchema.extend({ GATEWAY_URL: envOrigin });

export class UsageConfig extends configClass(usageConfigSchema) {}
