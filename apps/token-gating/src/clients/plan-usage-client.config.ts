import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings for requests to the gateway, signed with this app's key. */
export const planUsageClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ GATEWAY_URL: true }).shape,
);

export class PlanUsageClientConfig extends createConfigClass(planUsageClientConfigSchema) {}
