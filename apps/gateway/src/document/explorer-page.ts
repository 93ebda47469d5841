import { LOGO_SVG } from '@app/service';
import { DOCUMENT_PATH, DOCUMENTATION_PATH, EXPLORER_PATH } from '../own-paths.js';

/** The page where the explorer's OAuth window ends. Swagger UI has a page of this name, too. */
export const REDIRECT_FILE = 'oauth2-redirect.html';

/**
 * Swagger UI's own page reaches the explorer through `window.opener`, which the Cross-Origin-Opener-Policy of the login
 * pages cuts. A channel of the origin does not need it.
 */
export const REDIRECT_SCRIPT = `
new BroadcastChannel('explorer-oauth2').postMessage(location.hash.slice(1) || location.search.slice(1));
window.close();
`;

export const ICON = `<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(LOGO_SVG)}">`;

const HEAD = `<meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    ${ICON}`;

export const REDIRECT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    ${HEAD}
    <title>Signed in · Gatehouse</title>
    <link rel="stylesheet" href="${EXPLORER_PATH}/page.css">
  </head>
  <body>
    <main>
      <p>You are signed in to the explorer. You can close this window.</p>
    </main>
    <script>${REDIRECT_SCRIPT}</script>
  </body>
</html>
`;

/** The controls are disabled until the script has loaded the operations. */
export const EXPLORER_PAGE = `<!doctype html>
<html lang="en">
  <head>
    ${HEAD}
    <title>API explorer · Gatehouse</title>
    <link rel="stylesheet" href="${EXPLORER_PATH}/swagger-ui.css">
    <link rel="stylesheet" href="${EXPLORER_PATH}/page.css">
    <link rel="stylesheet" href="${EXPLORER_PATH}/explorer.css">
    <script defer src="${EXPLORER_PATH}/swagger-ui-bundle.js"></script>
    <script defer src="${EXPLORER_PATH}/swagger-ui-init.js"></script>
    <script type="module" src="${EXPLORER_PATH}/explorer.js"></script>
  </head>
  <body>
    <a class="skip" href="#main">Skip to content</a>
    <header>
      <a class="brand" href="/">${LOGO_SVG}Gatehouse</a>
      <nav aria-label="Pages">
        <a href="${EXPLORER_PATH}" aria-current="page">API explorer</a>
        <a href="${DOCUMENT_PATH}">OpenAPI document</a>
        <a href="${DOCUMENTATION_PATH}">Documents</a>
        <a href="/portal">Portal</a>
      </nav>
    </header>
    <main id="main" tabindex="-1">
      <h1>API explorer</h1>
      <p class="lead">Every operation of this deployment, to be read and tried. Requests that you send here are real.</p>
      <form id="key-form" class="card" novalidate>
        <h2>Your API key</h2>
        <label for="api-key">API key or publishable id</label>
        <div class="row">
          <input id="api-key" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" disabled aria-describedby="key-problem key-hint">
          <button disabled>Use key</button>
        </div>
        <p id="key-problem" class="problem" role="alert" hidden></p>
        <p class="key-state"><span id="key-state" role="status"></span> <button type="button" id="remove-key" class="quiet" disabled hidden>Remove key</button></p>
        <p id="key-hint" class="hint">A secret key (<code>gth_…</code>) stays in the memory of this tab: it is sent with your requests and stored nowhere.
          A publishable id (<code>gthp_…</code>) is remembered in this browser. You get both in the <a href="/portal">portal</a>, from an application of yours.</p>
      </form>
      <search class="search">
        <label for="search">Search operations</label>
        <input id="search" type="search" autocomplete="off" disabled placeholder="roles, wallet, callback …">
        <p id="search-status" class="hint" role="status"></p>
      </search>
      <p id="loading">Loading the operations…</p>
      <noscript><p>The explorer needs scripts. The same is in the <a href="${DOCUMENT_PATH}">OpenAPI document</a>.</p></noscript>
      <div id="operations"></div>
    </main>
  </body>
</html>
`;

/** The script that tells the page its settings. @param publicUrl of the deployment */
export const createInitScript = (publicUrl: string): string =>
  `window.explorerOptions = ${JSON.stringify(
    {
      url: DOCUMENT_PATH,
      // Keys would otherwise stay in localStorage.
      persistAuthorization: false,
      oauth2RedirectUrl: `${publicUrl}${EXPLORER_PATH}/${REDIRECT_FILE}`,
      initOAuth: { usePkceWithAuthorizationCodeGrant: true },
      // Groups are closed: together they are a table of contents.
      docExpansion: 'none',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      // The list of all schemas; each operation shows its own.
      defaultModelsExpandDepth: -1,
    },
    null,
    2,
  )};\n`;
