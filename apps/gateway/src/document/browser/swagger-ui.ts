/** The parts of Swagger UI that the explorer uses: it has no types of its own. */
export interface SwaggerUi {
  initOAuth: (options: object) => void;
  preauthorizeApiKey: (scheme: string, key: string) => void;
  authActions: { logout: (schemes: readonly string[]) => void };
  authSelectors: { authorized: () => ImmutableMap };
  layoutActions: {
    updateFilter: (text: string) => void;
    show: (path: readonly string[], isShown: boolean) => void;
  };
  getStore: () => { subscribe: (listener: () => void) => void };
}

/** A map of Immutable.js. */
export interface ImmutableMap {
  get: (key: string) => unknown;
  getIn: (path: readonly string[]) => unknown;
}

/** A list or map of Immutable.js. */
export interface ImmutableCollection<Item> {
  filter: (isWanted: (item: Item) => boolean) => ImmutableCollection<Item>;
  map: (convert: (item: Item) => Item) => ImmutableCollection<Item>;
  size: number;
}

interface React {
  createElement: (component: unknown, props: object | null, ...children: unknown[]) => unknown;
}

/** What plugins get. */
export interface PluginSystem {
  React: React;
  getComponent: (name: string, isContainer?: boolean) => unknown;
}

/** A part of Swagger UI that is replaced or added. */
export interface SwaggerUiPlugin {
  components?: Record<string, unknown>;
  wrapComponents?: Record<string, (original: unknown, system: PluginSystem) => unknown>;
  fn?: Record<string, unknown>;
}

interface SwaggerUiBundle {
  (options: object): SwaggerUi;
  presets: { apis: unknown };
}

declare global {
  interface Window {
    SwaggerUIBundle: SwaggerUiBundle;
    /** What Swagger UI leaves for the page where its OAuth window ends. */
    swaggerUIRedirectOauth2?: OAuthRequest | undefined;
    explorerOptions: ExplorerOptions;
  }
}

export interface OAuthRequest {
  auth: { name: string; code?: string };
  state?: string;
  redirectUrl: string;
  callback: (answer: object) => void;
  errCb: (error: object) => void;
}

/** What the gateway says to the page (explorer-page.ts). */
interface ExplorerOptions {
  url: string;
  oauth2RedirectUrl: string;
  initOAuth: object;
}
