import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** Settings for requests to the gateway, signed with this app's key. */
export const planUsageClientConfigSchema = principalIssuerConfigSchema.extend({ GATEWAY_URL: envOrigin });

export class PlanUsageClientConfig extends createConfigClass(planUsageClientConfigSchema) {}
