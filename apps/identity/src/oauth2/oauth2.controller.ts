import { FormBody, notBuiltYet, Operation, Returns } from '@app/service';
import { applyDecorators, Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiProduces, ApiResponse } from '@nestjs/swagger';
import { authorizeQuery } from './authorize.dto.js';
import { openIdConfiguration, userInfo } from './openid.dto.js';
import { introspection, oauthError, tokenAnswer, tokenQuestion, tokenRequest } from './token.dto.js';

/** An endpoint that a client application talks to as RFC 6749 says: a form, and errors of its own shape. */
const clientEndpoint = (summary: string) =>
  applyDecorators(
    Operation({
      caller: 'none',
      summary,
      description: 'The client application names itself by HTTP Basic or in the body.',
    }),
    FormBody(),
    ApiResponse({ status: 400, description: 'RFC 6749 section 5.2', standardSchema: oauthError }),
    ApiResponse({
      status: 401,
      description: 'The client application did not prove itself',
      standardSchema: oauthError,
    }),
  );

/** spec.md 4.5 and 5.2: OAuth 2.0 and OpenID Connect for client applications. */
@Controller()
export class OAuth2Controller {
  @Get('.well-known/openid-configuration')
  @Operation({ caller: 'none', summary: 'The OpenID configuration document' })
  @Returns(openIdConfiguration)
  getOpenIdConfig(): never {
    return notBuiltYet();
  }

  @Get('oauth2/authorize')
  @Operation({ caller: 'none', summary: 'Start the login of a user' })
  @ApiFoundResponse({ description: 'To the login page, or back to `redirect_uri`' })
  authorize(@Query({ schema: authorizeQuery }) _query: unknown): never {
    return notBuiltYet();
  }

  @Post('oauth2/token')
  @clientEndpoint('Exchange an authorization code for an access token')
  @ApiProduces('application/x-www-form-urlencoded', 'application/json')
  @Returns(tokenAnswer)
  token(@Body({ schema: tokenRequest }) _body: unknown): never {
    return notBuiltYet();
  }

  @Post('oauth2/introspect')
  @clientEndpoint('Ask what a token is good for')
  @Returns(introspection)
  introspect(@Body({ schema: tokenQuestion }) _body: unknown): never {
    return notBuiltYet();
  }

  @Post('oauth2/revoke')
  @clientEndpoint('Revoke a token')
  @HttpCode(200)
  @ApiOkResponse()
  revoke(@Body({ schema: tokenQuestion }) _body: unknown): never {
    return notBuiltYet();
  }

  @Get('oauth2/userinfo')
  @Operation({ caller: 'user', scope: 'openid', summary: 'Claims about the user' })
  @Returns(userInfo)
  userinfo(): never {
    return notBuiltYet();
  }
}
