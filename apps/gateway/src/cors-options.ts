import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';

/** contract.md section 1: browsers may call every API operation; none of them reads cookies. */
export const corsOptions: CorsOptions = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'X-API-Key',
    'X-Access-Token',
    'X-Bot-Token',
    'Idempotency-Key',
    'Prefer',
    'X-Request-Id',
  ],
  exposedHeaders: [
    'Retry-After',
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
    'Preference-Applied',
  ],
  maxAge: 86_400,
};
