import { type Principal, CurrentPrincipal } from '@app/auth';
import { FormBody, Operation, type OperationOptions, Returns, ReturnsNothing } from '@app/service';
import {
  applyDecorators,
  Body,
  Controller,
  Get,
  HttpCode,
  Post,
  Req,
  Res,
  UseFilters,
  Header,
} from '@nestjs/common';
import { ApiProduces, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ApiAuthorizationQuery, ApiErrorPage } from './authorization.dto.js';
import { OidcService } from './oidc.service.js';
import {
  openIdConfiguration,
  userInfo,
  authorizationServerMetadata,
  type ProtectedResource,
  protectedResource,
} from './openid.dto.js';
import {
  DISCOVERY_PATH,
  METADATA_CACHE_CONTROL,
  OAUTH_METADATA_PATH,
} from './provider/extend-discovery-document.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';
import { parseAuthorizationRequest } from './requests/parse-authorization-request.js';
import { BrowserEndpointFilter, ClientEndpointFilter } from './requests/endpoint.filters.js';
import { escapeJwtDots } from './tokens/issue-jwt-access-tokens.js';
import { UserInfoService } from './user-info.controller.js';
import { EXAMPLES } from '@app/dto';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { PUBLISHED_SCOPES } from './clients/scopes.js';

/** Client credentials in the body instead of HTTP Basic (RFC 6749 section 2.3.1). */
const clientInBody = {
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
};

const oneOf = (...values: string[]) => ({ documentAs: { type: 'string', enum: values } });

/** Checks the form only. oidc-provider reports the errors that RFC 6749 defines. */
const tokenRequest = z
  .object({
    grant_type: z.string().meta(oneOf('authorization_code', 'refresh_token', 'client_credentials')),
    code: z.string().optional(),
    redirect_uri: z.string().optional().meta({ description: 'As in the authorization request' }),
    code_verifier: z.string().optional(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
    ...clientInBody,
  })
  .meta({
    id: 'OAuthTokenRequest',
    example: { grant_type: 'client_credentials', scope: 'token-gating', client_id: EXAMPLES.clientId },
  });

/** RFC 6749 section 5.1. A form or JSON, as `Accept` names it; without either JSON for OpenID Connect, else a form. */
const tokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().positive(),
    scope: z.string(),
    refresh_token: z.string().optional(),
    id_token: z.string().optional(),
  })
  .meta({ id: 'OAuthTokenAnswer' });

/** RFC 6749 section 5.2. */
const oauthError = z
  .object({ error: z.string(), error_description: z.string().optional() })
  .meta({ id: 'OAuthError' });

/** RFC 7009 section 2.1 and RFC 7662 section 2.1. */
const presentedTokenRequest = z
  .object({
    token: z.string().max(8_192),
    token_type_hint: z.string().optional(),
    ...clientInBody,
  })
  .meta({ id: 'OAuthTokenQuestion', example: { token: 'token', client_id: EXAMPLES.clientId } });

/** RFC 7662 section 2.2. The response for an inactive token has no other fields. */
const introspectionResponse = z
  .object({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    sub: z.string().optional(),
    aud: z.string().optional(),
    iss: z.string().optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
    jti: z.string().optional(),
    token_type: z.string().optional(),
  })
  .meta({ id: 'OAuthIntrospection' });

const WITHOUT_CLIENT = {
  status: 401,
  reason: 'a client secret cannot stand in an example',
};

/** An endpoint for client applications with the form bodies and error responses of RFC 6749. */
const CLIENT_AUTHENTICATION = 'The client application authenticates with HTTP Basic or in the body.';

const clientEndpoint = (summary: string, description: string, example: OperationOptions['example']) =>
  applyDecorators(
    Operation({
      caller: 'none',
      summary,
      description: `${description} ${CLIENT_AUTHENTICATION}`,
      forwards: ['authorization'],
      example,
    }),
    FormBody(),
    UseFilters(ClientEndpointFilter),
    HttpCode(200),
    ApiResponse({ status: 400, description: 'RFC 6749 section 5.2', standardSchema: oauthError }),
    ApiResponse({
      status: 401,
      description: 'Client authentication failed',
      standardSchema: oauthError,
    }),
  );

const ApiOkSchema = (schema: z.ZodType) =>
  ApiResponse({ status: 200, description: '', standardSchema: schema });

type Form = Record<string, string>;

/** Clients that join lists of scopes send spaces around them, which oidc-provider reads as a scope without a name. */
function dropExtraSpaces({ scope, ...form }: Form): Form {
  const kept = scope?.split(' ').filter((name) => name !== '') ?? [];
  return kept.length === 0 ? form : { ...form, scope: kept.join(' ') };
}

/** spec.md 4.5 and 5.2: OAuth 2.0 and OpenID Connect for client applications. */
@Controller()
export class OAuth2Controller {
  constructor(
    private readonly oidc: OidcService,
    private readonly userInfo: UserInfoService,
  ) {}

  @Get('.well-known/openid-configuration')
  @Operation({
    caller: 'none',
    summary: 'The OpenID configuration document',
    description:
      'Where the endpoints of OpenID Connect are and what they support (OpenID Connect Discovery 1.0). Client libraries need ' +
      'no more than its address.',
  })
  @ApiOkSchema(openIdConfiguration)
  getOpenIdConfig(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.oidc.handleRequest(request, response, { url: DISCOVERY_PATH });
  }

  @Get('oauth2/authorize')
  @Operation({
    caller: 'none',
    summary: 'Start the login of a user',
    description:
      'Send the browser here. The user signs in and agrees, and the browser returns to `redirect_uri` with a code; public ' +
      'applications must use PKCE. A scripted request is of no use: the answer is a page or a redirect.',
    forwards: ['cookie'],
  })
  @ApiAuthorizationQuery()
  @UseFilters(BrowserEndpointFilter)
  @ApiErrorPage()
  @ApiResponse({ status: 303, description: 'Redirect to the login page or to `redirect_uri`' })
  authorize(@Req() request: Request, @Res() response: Response): Promise<void> {
    const query = parseAuthorizationRequest(request.url);
    return this.oidc.handleBrowserRequest(request, response, {
      url: `${OAUTH_PATHS.authorization}?${query.toString()}`,
    });
  }

  @Post('oauth2/token')
  @clientEndpoint(
    'Exchange an authorization code for an access token',
    'Takes the code that came to `redirect_uri`, and the verifier of PKCE; a code is valid once.',
    WITHOUT_CLIENT,
  )
  @ApiProduces('application/x-www-form-urlencoded', 'application/json')
  @ApiOkSchema(tokenResponse)
  token(@Body({ schema: tokenRequest }) _body: unknown, @Req() request: Request, @Res() response: Response) {
    const form = dropExtraSpaces(request.body as Form);
    return this.oidc.handleRequest(request, response, { url: OAUTH_PATHS.token, form });
  }

  @Post('oauth2/introspect')
  @clientEndpoint(
    'Introspect a token',
    'Whether a token is active, and its user, application and scopes if it is (RFC 7662).',
    WITHOUT_CLIENT,
  )
  @ApiOkSchema(introspectionResponse)
  introspect(
    @Body({ schema: presentedTokenRequest }) _body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    return this.handleTokenRequest(OAUTH_PATHS.introspection, request, response);
  }

  @Post('oauth2/revoke')
  @clientEndpoint(
    'Revoke a token',
    'The token is refused from then on; an unknown token is no error (RFC 7009).',
    WITHOUT_CLIENT,
  )
  @ReturnsNothing()
  revoke(
    @Body({ schema: presentedTokenRequest }) _body: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    return this.handleTokenRequest(OAUTH_PATHS.revocation, request, response);
  }

  @Get('oauth2/userinfo')
  @Operation({
    caller: 'user',
    scope: 'openid',
    summary: 'Claims about the user',
    description:
      'The id of the user as `sub`, with the names and the picture if the token has `user:read` and the wallets if it has ' +
      '`user:wallet:read` (OpenID Connect Core 1.0 section 5.3).',
  })
  @Returns(userInfo)
  userinfo(@CurrentPrincipal() principal: Principal): Promise<z.input<typeof userInfo>> {
    return this.userInfo.getClaims(principal);
  }

  private handleTokenRequest(url: string, request: Request, response: Response): Promise<void> {
    const form = request.body as Form;
    return this.oidc.handleRequest(request, response, {
      url,
      form: { ...form, token: escapeJwtDots(form['token'] ?? '') },
    });
  }
}

/** How OAuth clients that do not know OpenID Connect discover this service. */
@Controller('.well-known')
export class OAuthMetadataController {
  constructor(
    private readonly oidc: OidcService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  @Get('oauth-authorization-server')
  @Operation({
    caller: 'none',
    summary: 'The metadata of the authorization server (RFC 8414)',
    description:
      'Where the endpoints of OAuth 2.0 are and what they support, for clients that do not know OpenID Connect.',
  })
  @ApiResponse({ status: 200, description: '', standardSchema: authorizationServerMetadata })
  getAuthorizationServer(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.oidc.handleRequest(request, response, { url: OAUTH_METADATA_PATH });
  }

  @Get('oauth-protected-resource')
  @Operation({
    caller: 'none',
    summary: 'The metadata of this API as a protected resource (RFC 9728)',
    description:
      'Names the authorization server, the scopes and the keys of this API. `WWW-Authenticate` of a 401 names its address as ' +
      '`resource_metadata`.',
  })
  @Header('Cache-Control', METADATA_CACHE_CONTROL)
  @Returns(protectedResource)
  getProtectedResource(): ProtectedResource {
    const { PUBLIC_URL: resource } = this.urls;
    return {
      resource,
      resource_name: 'Gatehouse',
      authorization_servers: [resource],
      jwks_uri: resource + OAUTH_PATHS.jwks,
      scopes_supported: PUBLISHED_SCOPES,
      bearer_methods_supported: ['header'],
      resource_documentation: `${resource}/explorer`,
    };
  }
}
