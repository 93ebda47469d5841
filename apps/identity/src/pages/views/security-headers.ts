import type { Response } from 'express';

const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  // Wallets bring their icons as data.
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
} as const;

const FEATURES_OFF = ['camera', 'geolocation', 'microphone', 'payment', 'usb'];

export interface PageNeeds {
  /** Where a form of the page leads in the end, besides to us: browsers look at the redirects, too. */
  formTarget?: string;
  /** It shows the icon of an application, which may be anywhere. */
  showsIcon?: boolean;
}

/** What a browser may do with what we answer. */
export function setSecurityHeaders(response: Response, { formTarget, showsIcon }: PageNeeds = {}): void {
  const policy = {
    ...POLICY,
    ...(formTarget && { 'form-action': `'self' ${sourceOf(formTarget)}` }),
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

/** An origin as CSP can write it: it has no way to name an IPv6 address, only its scheme. */
function sourceOf(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  return hostname.startsWith('[') ? protocol : `${protocol}//${host}`;
}
