import { Operation, Returns } from '@app/service';
import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { PUBLISHED_SCOPES } from './clients/scopes.js';
import { OidcService } from './oidc.service.js';
import { authorizationServerMetadata, type ProtectedResource, protectedResource } from './openid.dto.js';
import { METADATA_CACHE_CONTROL, OAUTH_METADATA_PATH } from './provider/extend-discovery-document.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';

/** How OAuth clients that do not know OpenID Connect discover this service. */
@Controller('.well-known')
export class OAuthMetadataController {
  constructor(
    private readonly oidc: OidcService,
    private readonly urls: PublicUrlsConfig,
  ) {}

  @Get('oauth-authorization-server')
  @Operation({ caller: 'none', summary: 'The metadata of the authorization server (RFC 8414)' })
  @ApiResponse({ status: 200, description: '', standardSchema: authorizationServerMetadata })
  getAuthorizationServer(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.oidc.handleRequest(request, response, { url: OAUTH_METADATA_PATH });
  }

  @Get('oauth-protected-resource')
  @Operation({
    caller: 'none',
    summary: 'The metadata of this API as a protected resource (RFC 9728)',
    description: '`WWW-Authenticate` of a 401 names it as `resource_metadata`.',
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
