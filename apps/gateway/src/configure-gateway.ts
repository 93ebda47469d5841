import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { selectCorsOptions } from './select-cors-options.js';
import {
  EXPLORER_REDIRECT_PATH,
  EXPLORER_SCRIPT,
  sendExplorerRedirectPage,
} from './document/explorer-redirect.js';
import { PublicDocumentProvider } from './document/public-document.provider.js';
import { GatewayConfig } from './gateway.config.js';
import { checkHostHeader } from './pipeline/match/check-host-header.js';

/** Sets up proxies, CORS and the API explorer. */
export function configureGateway(app: INestApplication): void {
  const { PUBLIC_URL, TRUSTED_PROXIES } = app.get(GatewayConfig);
  (app as NestExpressApplication).set('trust proxy', TRUSTED_PROXIES);
  app.use(checkHostHeader);
  app.enableCors(selectCorsOptions);
  const provider = app.get(PublicDocumentProvider);
  const getDocument = () => provider.content as unknown as OpenAPIObject;
  app.use(EXPLORER_REDIRECT_PATH, sendExplorerRedirectPage);
  SwaggerModule.setup('explorer', app, getDocument, {
    raw: false,
    customSiteTitle: 'Gatehouse',
    customJsStr: EXPLORER_SCRIPT,
    patchDocumentOnRequest: getDocument,
    swaggerOptions: {
      persistAuthorization: true,
      oauth2RedirectUrl: PUBLIC_URL + EXPLORER_REDIRECT_PATH,
      initOAuth: { usePkceWithAuthorizationCodeGrant: true },
    },
  });
}
