import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { selectCorsOptions } from './select-cors-options.js';
import { PublicDocumentProvider } from './document/public-document.provider.js';
import { GatewayConfig } from './gateway.config.js';
import { checkHostHeader } from './pipeline/match/check-host-header.js';

/** Sets up proxies, CORS and the API explorer. */
export function configureGateway(app: INestApplication): void {
  const { TRUSTED_PROXIES } = app.get(GatewayConfig);
  (app as NestExpressApplication).set('trust proxy', TRUSTED_PROXIES);
  app.use(checkHostHeader);
  app.enableCors(selectCorsOptions);
  const document = app.get(PublicDocumentProvider).content as unknown as OpenAPIObject;
  SwaggerModule.setup('explorer', app, document, {
    raw: false,
    customSiteTitle: 'Gatehouse',
    swaggerOptions: { persistAuthorization: true },
  });
}
