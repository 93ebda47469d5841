import { Operation } from '@app/service';
import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrorPage, authorizationParams } from './authorization.dto.js';
import { OidcService } from './oidc.service.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';
import { BrowserEndpointFilter } from './requests/browser-endpoint.filter.js';

/** The return from the login and consent pages to the authorization request. */
@Controller('oauth2/authorize')
export class AuthorizationController {
  constructor(private readonly oidc: OidcService) {}

  @Get(':uid')
  @Operation({
    caller: 'none',
    summary: 'Resume an authorization request after login or consent',
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
