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

/** What a person reads where nobody can be sent back to: the application or the address is not one that we know. */
export function createErrorPage({ error, description }: { error: string; description?: string }): ErrorPage {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This sign-in cannot go on</title>
</head>
<body>
<main>
<h1>This sign-in cannot go on</h1>
<p>The application sent you here with a request that is not acceptable. Go back and try again, or tell its makers.</p>
<p>${escape(error)}${description === undefined ? '' : `: ${escape(description)}`}</p>
</main>
</body>
</html>
`;
  return { headers: HEADERS, html };
}

/** The page as oidc-provider asks for it. */
export function renderErrorPage(context: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  const { headers, html } = createErrorPage({ error, description: error_description });
  context.set(headers);
  context.type = 'html';
  context.body = html;
}
