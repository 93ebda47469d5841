import type { Response } from 'express';

const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // Wallets bring their icons as data.
  'img-src': "'self' data:",
  'connect-src': "'self'",
  // Also for the redirects that answer a form: those that lead to an application start from a page (send-on.ts).
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
} as const;

const FEATURES_OFF = ['camera', 'geolocation', 'microphone', 'payment', 'usb'];

export interface SecurityHeaderOptions {
  /** It shows the icon of an application, which may be anywhere. */
  showsIcon?: boolean;
}

/** What a browser may do with what we answer. */
export function setSecurityHeaders(response: Response, { showsIcon }: SecurityHeaderOptions = {}): void {
  const policy = {
    ...POLICY,
    ...(showsIcon && { 'img-src': `${POLICY['img-src']} https:` }),
  };
  const headers = {
    'Content-Security-Policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Nothing to others. With `no-referrer` forms would come from Origin `null`, and we could not tell whose they are.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': FEATURES_OFF.map((feature) => `${feature}=()`).join(', '),
    'Cache-Control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
