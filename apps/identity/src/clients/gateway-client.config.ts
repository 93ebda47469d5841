import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings of the client for the gateway's internal API. */
const gatewayClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ GATEWAY_URL: true }).shape,
);

export class GatewayClientConfig extends createConfigClass(gatewayClientConfigSchema) {}
