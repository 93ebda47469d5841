import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { corsOptions } from './cors-options.js';
import { PublicDocument } from './document/public-document.js';
import { GatewayConfig } from './gateway.config.js';
import { checkHost } from './match/check-host.js';

/** What the gateway's HTTP server does besides its steps. */
export function configureGateway(app: INestApplication): void {
  const { TRUSTED_PROXIES } = app.get(GatewayConfig);
  (app as NestExpressApplication).set('trust proxy', TRUSTED_PROXIES);
  app.use(checkHost);
  app.enableCors(corsOptions);
  const document = app.get(PublicDocument).content as unknown as OpenAPIObject;
  SwaggerModule.setup('explorer', app, document, {
    raw: false,
    customSiteTitle: 'Gatehouse',
    swaggerOptions: { persistAuthorization: true },
  });
}
