import {
  type AnalyticsAccessRequest,
  analyticsAccessRequest,
  type AnalyticsAccessResponse,
  analyticsAccessResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { AnalyticsAccessService } from './analytics-access.service.js';

/** Tells analytics and identity's portal who may read the analytics of a community. */
@InternalController('internal/analytics-access', 'analytics', 'identity')
export class AnalyticsAccessController {
  constructor(private readonly access: AnalyticsAccessService) {}

  @Post()
  @Returns(analyticsAccessResponse)
  check(
    @Body({ schema: analyticsAccessRequest }) request: AnalyticsAccessRequest,
  ): Promise<AnalyticsAccessResponse> {
    return this.access.check(request);
  }
}
