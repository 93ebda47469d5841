import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

export interface ErrorPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The error page for requests that must not be redirected, because the client or its redirect URI is invalid. */
export function createErrorPage({ error, description }: { error: string; description?: string }): ErrorPage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign-in failed</title>
</head>
<body>
<main>
<h1>Sign-in failed</h1>
<p>The application sent an invalid sign-in request. Go back to the application and try again. If the problem persists, contact its developers.</p>
<p>${escape(error)}${description === undefined ? '' : `: ${escape(description)}`}</p>
</main>
</body>
</html>
`;
  return { headers: HEADERS, html };
}

/** Sends the error page as oidc-provider's `renderError`. */
export function renderErrorPage(context: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  const { headers, html } = createErrorPage({ error, description: error_description });
  context.set(headers);
  context.type = 'html';
  context.body = html;
}
