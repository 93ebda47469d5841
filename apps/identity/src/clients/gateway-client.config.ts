import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** Settings of the client for the gateway's internal API. */
export const gatewayClientConfigSchema = principalIssuerConfigSchema.extend({ GATEWAY_URL: envOrigin });

export class GatewayClientConfig extends createConfigClass(gatewayClientConfigSchema) {}
