import { AppError } from '@app/common';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, mergeMap, type Observable, of } from 'rxjs';
import { AssetClaimConfig } from './asset-claim.config.js';
import type { AssetVerificationResponse } from './asset-verification.dto.js';
import { ClaimDetailsService } from './claim-details.service.js';
import {
  CLAIM_PAGE_HEADERS,
  renderClaimPage,
  renderUnavailableClaimPage,
  renderUnknownClaimPage,
} from './claim-page.js';

/** Headers of a page that anybody with its URL sees, so it must not reach caches, other sites or search engines. */
const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** The pages of statuses that people see. */
const PROBLEM_PAGES: Readonly<Record<number, () => string>> = {
  404: renderUnknownClaimPage,
  503: renderUnavailableClaimPage,
};

/** Renders a verified claim, and one that is not valid or cannot be checked, as a page for clients that prefer HTML. */
@Injectable()
export class ClaimPageInterceptor implements NestInterceptor<AssetVerificationResponse, unknown> {
  private readonly host: string;

  constructor(
    private readonly details: ClaimDetailsService,
    { PUBLIC_URL }: AssetClaimConfig,
  ) {
    this.host = new URL(PUBLIC_URL).host;
  }

  intercept(context: ExecutionContext, next: CallHandler<AssetVerificationResponse>): Observable<unknown> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    response.set(PRIVATE_HEADERS).vary('Accept');
    if (http.getRequest<Request>().accepts(['json', 'html']) !== 'html') return next.handle();
    return next.handle().pipe(
      mergeMap(async (result) => {
        const details = await this.details.load(result.claim);
        response.set(CLAIM_PAGE_HEADERS).type('html');
        return renderClaimPage({ result, details, host: this.host, checkedAt: new Date() });
      }),
      catchError((error: unknown) => {
        const renderProblem = error instanceof AppError ? PROBLEM_PAGES[error.statusCode] : undefined;
        if (!renderProblem || !(error instanceof AppError)) throw error;
        const { retryAfter } = error.details;
        if (typeof retryAfter === 'number') response.set('Retry-After', String(retryAfter));
        response.set(CLAIM_PAGE_HEADERS).status(error.statusCode).type('html');
        return of(renderProblem());
      }),
    );
  }
}
