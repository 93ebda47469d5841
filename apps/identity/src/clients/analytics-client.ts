import { principalIssuerConfigSchema } from '@app/auth';
import { appUrlsConfigSchema, createConfigClass } from '@app/config';
import { type AnalyticsReportRequest, type AnalyticsReportResponse, analyticsReportResponse } from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Settings of the client for analytics' internal API. */
const analyticsClientConfigSchema = principalIssuerConfigSchema.extend(
  appUrlsConfigSchema.pick({ ANALYTICS_URL: true }).shape,
);

export class AnalyticsClientConfig extends createConfigClass(analyticsClientConfigSchema) {}

const TIMEOUT_MS = 8_000;
/** Analytics bounds the text of a report, which JSON encodes once more. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Client of analytics' internal API. Rejects on a timeout and on an invalid response. */
@Injectable()
export class AnalyticsClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, ANALYTICS_URL: origin }: AnalyticsClientConfig) {
    const options = { connections: 4, timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES };
    this.client = new InternalClient({ signingKey, app: 'analytics', origin, ...options });
  }

  loadReport(request: AnalyticsReportRequest): Promise<AnalyticsReportResponse> {
    return this.client.post('/internal/reports', request, analyticsReportResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
