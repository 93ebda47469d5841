import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { installAliases } from './aliases/install-aliases.js';
import { createCorsOptionsSelector } from './select-cors-options.js';
import {
  EXPLORER_REDIRECT_PATH,
  EXPLORER_SCRIPT,
  sendExplorerRedirectPage,
} from './document/explorer-redirect.js';
import { createExplorerGuard } from './document/explorer.guard.js';
import { DOCUMENT_PATH } from './document/document.path.js';
import { GatewayConfig } from './gateway.config.js';
import { AddressRateLimiter } from './pipeline/admit/address-rate-limiter.js';
import { LoadMonitor } from './pipeline/admit/load-monitor.js';
import { checkHostHeader } from './pipeline/match/check-host-header.js';

/** Sets up proxies, aliases, CORS and the API explorer. */
export function configureGateway(app: INestApplication): void {
  const config = app.get(GatewayConfig);
  const { PUBLIC_URL, TRUSTED_PROXIES, GATEWAY_ALIASES } = config;
  (app as NestExpressApplication).set('trust proxy', TRUSTED_PROXIES);
  app.use(checkHostHeader);
  // Aliases come before CORS and the routes, which look at the path.
  if (GATEWAY_ALIASES) installAliases(app, GATEWAY_ALIASES);
  app.enableCors(createCorsOptionsSelector(Object.keys(GATEWAY_ALIASES?.headers ?? {})));
  const [load, addresses] = [app.get(LoadMonitor), app.get(AddressRateLimiter)];
  app.use('/explorer', createExplorerGuard({ load, addresses, config }));
  app.use(EXPLORER_REDIRECT_PATH, sendExplorerRedirectPage);
  // The page loads the document from its URL: a copy for each response would be held while its client reads slowly.
  const noDocument = {} as OpenAPIObject;
  SwaggerModule.setup('explorer', app, noDocument, {
    raw: false,
    customSiteTitle: 'Gatehouse',
    customJsStr: EXPLORER_SCRIPT,
    swaggerOptions: {
      url: DOCUMENT_PATH,
      // Keys would otherwise stay in localStorage.
      persistAuthorization: false,
      oauth2RedirectUrl: PUBLIC_URL + EXPLORER_REDIRECT_PATH,
      initOAuth: { usePkceWithAuthorizationCodeGrant: true },
    },
  });
}
