import type { Response } from 'express';

const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // Wallets provide their icons as data URIs.
  'img-src': "'self' data:",
  'connect-src': "'self'",
  // Browsers apply `form-action` to redirects after a form, too, so redirects to an application start from a page
  // (interaction.service.ts).
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
} as const;

const DISABLED_FEATURES = ['camera', 'geolocation', 'microphone', 'payment', 'usb'];

export interface SecurityHeaderOptions {
  /** Allows images from any https host, for application icons. */
  showsIcon?: boolean;
  /** Allows images from one origin, for the picture of the user who looks at it. */
  pictureOrigin?: string;
  /** Allows connections to one more origin, for the wallet of a phone. */
  relayOrigin?: string | undefined;
}

export function setSecurityHeaders(response: Response, options: SecurityHeaderOptions = {}): void {
  const imageSource = options.showsIcon ? 'https:' : options.pictureOrigin;
  const policy = {
    ...POLICY,
    ...(imageSource !== undefined && { 'img-src': `${POLICY['img-src']} ${imageSource}` }),
    ...(options.relayOrigin !== undefined && {
      'connect-src': `${POLICY['connect-src']} ${options.relayOrigin}`,
    }),
  };
  const headers = {
    'Content-Security-Policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // `same-origin` rather than `no-referrer`, with which browsers would send forms with the Origin `null`.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': DISABLED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    'Cache-Control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
