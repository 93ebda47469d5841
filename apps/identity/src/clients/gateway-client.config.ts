import { principalIssuerConfigSchema } from '@app/auth';
import { createConfigClass, envOrigin } from '@app/config';

/** What it takes to ask a gateway what it has counted, in identity's own name. */
export const gatewayClientConfigSchema = principalIssuerConfigSchema.extend({ GATEWAY_URL: envOrigin });

export class GatewayClientConfig extends createConfigClass(gatewayClientConfigSchema) {}
