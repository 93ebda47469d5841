import { Operation } from '@app/service';
import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { authorizationParams } from './authorization.dto.js';
import { OidcService } from './oidc.service.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';
import { BrowserEndpointFilter } from './requests/browser-endpoint.filter.js';

/** The way back from the login and consent pages. */
@Controller('oauth2/authorize')
export class AuthorizationController {
  constructor(private readonly oidc: OidcService) {}

  @Get(':uid')
  @Operation({ caller: 'none', summary: 'Go on with a login after the user decided', forwards: ['cookie'] })
  @UseFilters(BrowserEndpointFilter)
  @ApiResponse({ status: 303, description: 'To the next page, or back to `redirect_uri`' })
  resume(
    @Param({ schema: authorizationParams }) { uid }: { uid: string },
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.oidc.handleBrowserRequest(request, response, { url: `${OAUTH_PATHS.authorization}/${uid}` });
  }
}
