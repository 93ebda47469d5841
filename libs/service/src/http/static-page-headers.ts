import { hash } from 'node:crypto';

/**
 * Security headers of a self-contained page: no scripts, no loading of resources, no form submission and no framing.
 * @param style the text of its only style element
 */
export const createStaticPageHeaders = (style: string) =>
  ({
    'Content-Security-Policy': [
      "default-src 'none'",
      'img-src data:',
      `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
  }) as const;
