import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';

/** Settings of the client for analytics' internal API. */
const analyticsClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ ANALYTICS_URL: true }).shape,
);

export class AnalyticsClientConfig extends createConfigClass(analyticsClientConfigSchema) {}
