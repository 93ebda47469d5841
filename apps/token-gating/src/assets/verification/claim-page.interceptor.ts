import { AppError } from '@app/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, map, type Observable, of } from 'rxjs';
import type { AssetVerificationResponse } from './asset-verification.dto.js';
import { CLAIM_PAGE_HEADERS, renderClaimPage, renderUnknownClaimPage } from './claim-page.js';

/** Who has the URL of a claim sees it, so it must not reach caches, other sites or search engines. */
const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};
const NOT_FOUND = 404;

/** Renders a verified claim, and an invalid one, as a page for clients that prefer HTML. */
export class ClaimPageInterceptor implements NestInterceptor<AssetVerificationResponse, unknown> {
  intercept(context: ExecutionContext, next: CallHandler<AssetVerificationResponse>): Observable<unknown> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    response.set(PRIVATE_HEADERS).vary('Accept');
    if (http.getRequest<Request>().accepts(['json', 'html']) !== 'html') return next.handle();
    return next.handle().pipe(
      map((result) => {
        response.set(CLAIM_PAGE_HEADERS).type('html');
        return renderClaimPage(result);
      }),
      catchError((error: unknown) => {
        if (!(error instanceof AppError) || error.statusCode !== NOT_FOUND) throw error;
        response.set(CLAIM_PAGE_HEADERS).status(NOT_FOUND).type('html');
        return of(renderUnknownClaimPage());
      }),
    );
  }
}
