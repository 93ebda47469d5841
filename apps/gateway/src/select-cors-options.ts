import { DAY_SECONDS } from '@app/common';
import type {
  CorsOptions,
  CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface.js';
import { CORS_REQUEST_HEADERS, CORS_RESPONSE_HEADERS } from '@app/openapi';
import type { Request } from 'express';
import { isPagePath } from './pages/is-page-path.js';

/** contract.md section 1: browsers may call every API operation; none of them reads cookies. */
const API_CORS_OPTIONS: CorsOptions = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: CORS_RESPONSE_HEADERS,
  maxAge: DAY_SECONDS,
};

/** Pages use cookies, so scripts of other origins must not read them. */
const PAGE_CORS_OPTIONS: CorsOptions = { origin: false };

/** @param aliasHeaders other names of headers, which browsers may send as well */
export function createCorsOptionsSelector(aliasHeaders: readonly string[]): CorsOptionsDelegate<Request> {
  const apiOptions = { ...API_CORS_OPTIONS, allowedHeaders: [...CORS_REQUEST_HEADERS, ...aliasHeaders] };
  return (request, callback) => {
    callback(null, isPagePath(request.url) ? PAGE_CORS_OPTIONS : apiOptions);
  };
}
