import { DAY_SECONDS } from '@app/common';
import { CORS_REQUEST_HEADERS, CORS_RESPONSE_HEADERS } from '@app/openapi';
import type { INestApplication } from '@nestjs/common';
import type {
  CorsOptions,
  CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { createExplorer } from './document/explorer.js';
import { createDocumentation } from './documentation/documentation.js';
import {
  CLIENT_PACKAGE_PATH,
  DOCUMENTATION_PATH,
  EXPLORER_PATH,
  isPagePath,
  LLMS_PATH,
} from './own-paths.js';
import { GatewayConfig } from './gateway.config.js';
import { AddressRateLimiter } from './pipeline/admit/address-rate-limiter.js';
import { LoadMonitor } from './pipeline/admit/load-monitor.js';

/** contract.md section 1: browsers may call every API operation; none of them reads cookies. */
const API_CORS_OPTIONS = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: CORS_RESPONSE_HEADERS,
  maxAge: DAY_SECONDS,
} satisfies CorsOptions;

const EXPOSED_HEADERS = API_CORS_OPTIONS.exposedHeaders.join(',');

/** Sets what the options say of a request that is not a preflight: Express, which answers preflights, does not see operations. */
export function setCorsHeaders(response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', API_CORS_OPTIONS.origin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Pages use cookies, so scripts of other origins must not read them. */
const PAGE_CORS_OPTIONS: CorsOptions = { origin: false };

/** @param aliasHeaders other names of headers, which browsers may send as well */
function createCorsOptionsSelector(aliasHeaders: readonly string[]): CorsOptionsDelegate<Request> {
  const apiOptions = { ...API_CORS_OPTIONS, allowedHeaders: [...CORS_REQUEST_HEADERS, ...aliasHeaders] };
  return (request, callback) => {
    callback(null, isPagePath(request.url) ? PAGE_CORS_OPTIONS : apiOptions);
  };
}

/** Sets up proxies, CORS, the API explorer and the documents. */
export function configureGateway(app: INestApplication): void {
  const config = app.get(GatewayConfig);
  const { TRUSTED_PROXIES, GATEWAY_ALIASES } = config;
  (app as NestExpressApplication).set('trust proxy', TRUSTED_PROXIES);
  app.enableCors(createCorsOptionsSelector(Object.keys(GATEWAY_ALIASES?.headers ?? {})));
  const [load, addresses] = [app.get(LoadMonitor), app.get(AddressRateLimiter)];
  app.use(EXPLORER_PATH, createExplorer({ load, addresses, config }));
  app.use(
    [DOCUMENTATION_PATH, LLMS_PATH, CLIENT_PACKAGE_PATH],
    createDocumentation({ load, addresses, config }),
  );
}
