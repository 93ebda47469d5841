import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** What it takes to ask the gateway to count, in this app's own name. */
export const planUsageClientConfigSchema = principalIssuerConfigSchema.extend({ GATEWAY_URL: envOrigin });

export class PlanUsageClientConfig extends createConfigClass(planUsageClientConfigSchema) {}
