import { EXAMPLES } from '@app/dto';
import { FormBody, Operation } from '@app/service';
import { Controller, Get, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { ApiErrorPage } from './authorization.dto.js';
import { BrowserEndpointFilter } from './requests/endpoint.filters.js';
import { toLogoutQuery } from './requests/logout-request.js';

const text = { type: 'string' } as const;

const DESCRIPTION =
  'Redirects to a page that asks the user. It ends the session of this browser, and no grant. The browser returns to `post_logout_redirect_uri` with `state` if the application, named by `client_id` or an id token, has registered it byte for byte.';

/** RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0). The page is at the login host, which owns the cookies. */
@Controller('oauth2/logout')
@UseFilters(BrowserEndpointFilter)
export class OAuthLogoutController {
  constructor(private readonly urls: PublicUrlsConfig) {}

  @Get()
  @Operation({ caller: 'none', summary: 'Ask the user to sign out', description: DESCRIPTION })
  @ApiQuery({ name: 'client_id', required: false, schema: text })
  @ApiQuery({ name: 'post_logout_redirect_uri', required: false, schema: text })
  @ApiQuery({ name: 'state', required: false, schema: text })
  @ApiQuery({ name: 'id_token_hint', required: false, schema: text })
  @ApiErrorPage()
  @ApiResponse({ status: 303, description: 'Redirect to the page' })
  logout(@Req() { url }: Request, @Res() response: Response): void {
    this.redirect(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '', response);
  }

  @Post()
  @Operation({
    caller: 'none',
    summary: 'Ask the user to sign out (by POST)',
    description: `For client libraries that send a form. ${DESCRIPTION}`,
    errors: ['413 body_limit_exceeded'],
  })
  @FormBody('text')
  @ApiBody({
    required: false,
    schema: {
      type: 'object',
      properties: { client_id: text, post_logout_redirect_uri: text, state: text, id_token_hint: text },
      example: { client_id: EXAMPLES.clientId },
    },
  })
  @HttpCode(303)
  @ApiErrorPage()
  @ApiResponse({ status: 303, description: 'Redirect to the page' })
  logoutByForm(@Req() request: Request, @Res() response: Response): void {
    const form: unknown = request.body;
    this.redirect(typeof form === 'string' ? form : '', response);
  }

  private redirect(parameters: string, response: Response): void {
    const query = toLogoutQuery(parameters);
    const url = `${this.urls.authUrl}/logout${query === '' ? '' : `?${query}`}`;
    response.setHeader('Cache-Control', 'no-store').redirect(303, url);
  }
}
