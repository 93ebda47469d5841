import { hash } from 'node:crypto';
import { Eta } from 'eta';

export interface ErrorPage {
  title: string;
  message: string;
  requestId: string;
  /** Seconds. */
  retryAfter?: number;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; }
`;

const TEMPLATE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title><%= it.title %> · Gatehouse</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1><%= it.title %></h1>
      <p><%= it.message %></p>
      <% if (it.retryAfter !== undefined) { %>
      <p>Load this page again after <%= it.retryAfter %> seconds.</p>
      <% } %>
      <p>If you ask for help, name <code><%= it.requestId %></code>.</p>
    </main>
  </body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const template = eta.compile(TEMPLATE);

/** For a page that identity could not answer: it needs nothing besides. */
export const renderErrorPage = (page: ErrorPage): string => eta.render(template, page);

/** It loads nothing, runs nothing, sends nothing and stands in no frame. */
export const ERROR_PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;
