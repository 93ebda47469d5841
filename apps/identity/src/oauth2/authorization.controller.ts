import { FormBody, Operation } from '@app/service';
import { Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiAuthorizationForm, ApiErrorPage, authorizationParams } from './authorization.dto.js';
import { OidcService } from './oidc.service.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';
import { toAuthorizationQuery } from './requests/parse-authorization-request.js';
import { BrowserEndpointFilter } from './requests/endpoint.filters.js';

/** Authorization requests by POST, and the return from the login and consent pages to a request. */
@Controller('oauth2/authorize')
export class AuthorizationController {
  constructor(private readonly oidc: OidcService) {}

  @Post()
  @Operation({
    caller: 'none',
    summary: 'Start the login of a user (by POST)',
    description:
      'For client libraries that send the authorization request as a form (OpenID Connect Core 1.0 section 3.1.2.1). ' +
      'Redirects to the same request by GET. At most 8 KiB.',
    errors: ['413 body_limit_exceeded'],
  })
  @ApiAuthorizationForm()
  @FormBody('text')
  @HttpCode(303)
  @UseFilters(BrowserEndpointFilter)
  @ApiErrorPage()
  @ApiResponse({ status: 303, description: 'Redirect to the same request by GET' })
  authorizeByForm(@Req() request: Request, @Res() response: Response): void {
    const form: unknown = request.body;
    const query = toAuthorizationQuery(typeof form === 'string' ? form : '');
    response.setHeader('Cache-Control', 'no-store').redirect(303, `${OAUTH_PATHS.authorization}?${query}`);
  }

  @Get(':uid')
  @Operation({
    caller: 'none',
    summary: 'Resume an authorization request after login or consent',
    description:
      'Pages of this service send the browser here after login and consent; client applications need not know it. It works ' +
      'only in the browser that began the request.',
    forwards: ['cookie'],
    example: { status: 400, reason: 'a request can be resumed only in the browser that began it' },
  })
  @UseFilters(BrowserEndpointFilter)
  @ApiErrorPage()
  @ApiResponse({ status: 303, description: 'Redirect to the next page or to `redirect_uri`' })
  resume(
    @Param({ schema: authorizationParams }) { uid }: { uid: string },
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.oidc.handleBrowserRequest(request, response, { url: `${OAUTH_PATHS.authorization}/${uid}` });
  }
}
