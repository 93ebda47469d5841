import { issuerConfigSchema } from '@app/auth';
import { configClass, envOrigin } from '@app/config';

/** What it takes to ask the gateway to count, in this app's own name. */
export const planUsageConfigSchema = issuerConfigSchema.extend({ GATEWAY_URL: envOrigin });

export class PlanUsageConfig extends configClass(planUsageConfigSchema) {}
