import { repairAccessibleNames } from './accessible-names.js';
import { startApiKeyBox } from './api-key-box.js';
import { find } from './find.js';
import { type ExploredDocument, findGroup, OperationSearch, toShownDocument } from './operation-groups.js';
import type {
  ImmutableCollection,
  ImmutableMap,
  OAuthRequest,
  PluginSystem,
  SwaggerUi,
} from './swagger-ui.js';

const SEARCH_DELAY_MS = 150;

const darkMode = matchMedia('(prefers-color-scheme: dark)');

/** Swagger UI has a dark style, and no setting that follows that of the browser. */
function followColorScheme(): void {
  const apply = () => document.documentElement.classList.toggle('dark-mode', darkMode.matches);
  darkMode.addEventListener('change', apply);
  apply();
}

/** The operations alone: what the page itself says and shows is outside of Swagger UI. */
const createLayout =
  ({ React, getComponent }: PluginSystem) =>
  (): unknown => {
    const create = (name: string, isContainer = false) =>
      React.createElement(getComponent(name, isContainer), null);
    return React.createElement(
      'div',
      { className: 'swagger-ui' },
      create('SvgAssets'),
      create('errors', true),
      React.createElement(
        'section',
        { className: 'user-sign-in', 'aria-label': 'Users' },
        React.createElement(
          'p',
          null,
          'For operations of signed-in users: sign a user in, or paste a token.',
        ),
        create('AuthorizeBtnContainer', true),
      ),
      create('operations', true),
    );
  };

/** Each operation takes the same credentials, so that a lock on each row would say nothing. */
const nothing = () => (): null => null;

type Tagged = ImmutableMap & { set: (key: string, value: unknown) => Tagged };

const createPlugin = (search: OperationSearch) => (system: PluginSystem) => ({
  components: { ExplorerLayout: createLayout(system) },
  wrapComponents: { authorizeOperationBtn: nothing },
  fn: {
    opsFilter: (groups: ImmutableCollection<Tagged>, text: string) =>
      groups
        .map((group) => {
          const operations = group.get('operations') as ImmutableCollection<ImmutableMap>;
          return group.set(
            'operations',
            operations.filter((one) =>
              search.matches({ method: String(one.get('method')), path: String(one.get('path')) }, text),
            ),
          );
        })
        .filter((group) => (group.get('operations') as ImmutableCollection<unknown>).size > 0),
  },
});

function startSearch(ui: SwaggerUi, search: OperationSearch): void {
  const input = find('search', HTMLInputElement);
  const status = find('search-status', HTMLElement);
  let opened = new Set<string>();
  const run = (): void => {
    const text = input.value.trim();
    const counts = text === '' ? new Map<string, number>() : search.countByGroup(text);
    for (const group of opened)
      if (!counts.has(group)) ui.layoutActions.show(['operations-tag', group], false);
    for (const group of counts.keys()) ui.layoutActions.show(['operations-tag', group], true);
    opened = new Set(counts.keys());
    ui.layoutActions.updateFilter(text);
    status.textContent = text === '' ? '' : describeCounts(counts);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(run, SEARCH_DELAY_MS);
  });
  input.disabled = false;
  // Browsers restore the text of a page that is reloaded.
  run();
}

function describeCounts(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'No operation has all of these words.';
  return total === 1 ? '1 operation found.' : `${String(total)} operations found.`;
}

/**
 * Opens the operation that the address names: `#/<group>/<operation id>`, or with a tag of the document instead of a group, as links
 * that were made before there were groups. Swagger UI's own links are anchors within buttons, which assistive programs cannot tell apart.
 */
function openLinked(ui: SwaggerUi, explored: ExploredDocument): void {
  const [tag = '', id = ''] = location.hash.replace(/^#\//, '').split('/').map(decodeURIComponent);
  const group = findGroup(explored, tag);
  if (group === undefined) return;
  ui.layoutActions.show(['operations-tag', group], true);
  if (id !== '') ui.layoutActions.show(['operations', group, id], true);
  requestAnimationFrame(() => {
    findRow(group, id)?.scrollIntoView();
  });
}

const findRow = (group: string, id: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('.opblock-tag-section')]
    .flatMap((section) => [...section.querySelectorAll<HTMLElement>('.opblock-tag, .opblock')])
    .find((row) =>
      id === '' ? row.dataset['tag'] === group : row.id.replaceAll('\\', '').endsWith(`-${id}`),
    );

/** Puts an operation that is opened into the address, so that it can be shared. */
function followOpened(root: HTMLElement): void {
  root.addEventListener('click', ({ target }) => {
    const row =
      target instanceof Element && target.closest('.opblock-summary') ? target.closest('.opblock') : null;
    const heading = row?.closest('.opblock-tag-section')?.querySelector<HTMLElement>('.opblock-tag');
    const group = heading?.dataset['tag'];
    const id = /(\w+\.\w+)$/.exec(row?.id.replaceAll('\\', '') ?? '')?.[1];
    if (group === undefined || id === undefined) return;
    history.replaceState(null, '', `#/${encodeURIComponent(group)}/${id}`);
  });
}

/** The end of the OAuth window's channel: the window cannot reach the page that opened it (explorer-page.ts). */
function listenToOAuthWindow(): void {
  new BroadcastChannel('explorer-oauth2').onmessage = ({ data }: MessageEvent<string>) => {
    const request = window.swaggerUIRedirectOauth2;
    const answer = Object.fromEntries(new URLSearchParams(data));
    if (!request || answer['state'] !== request.state) return;
    delete request.state;
    finishSignIn(request, answer);
  };
}

function finishSignIn(request: OAuthRequest, answer: Record<string, string>): void {
  const { auth, redirectUrl } = request;
  const { code, access_token: accessToken, error, error_description: message = error } = answer;
  if (code) request.callback({ auth: Object.assign(auth, { code }), redirectUrl });
  else if (accessToken) request.callback({ auth, token: answer, isValid: true, redirectUrl });
  else request.errCb({ authId: auth.name, source: 'auth', level: 'error', message });
}

async function start(root: HTMLElement): Promise<void> {
  const { url, initOAuth, ...options } = window.explorerOptions;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The document is ${String(response.status)}`);
  const explored = (await response.json()) as ExploredDocument;
  const shown = toShownDocument(explored);
  const search = new OperationSearch(shown);
  await new Promise<void>((resolve) => {
    const ui = window.SwaggerUIBundle({
      ...options,
      spec: shown,
      domNode: root,
      presets: [window.SwaggerUIBundle.presets.apis],
      plugins: [createPlugin(search)],
      layout: 'ExplorerLayout',
      onComplete: () => {
        startApiKeyBox(ui);
        startSearch(ui, search);
        openLinked(ui, explored);
        resolve();
      },
    });
    ui.initOAuth(initOAuth);
  });
  followOpened(root);
  repairAccessibleNames(root);
  listenToOAuthWindow();
}

followColorScheme();
const root = find('operations', HTMLElement);
const loading = find('loading', HTMLElement);
start(root).then(
  () => {
    loading.remove();
  },
  (error: unknown) => {
    reportError(error);
    loading.textContent = 'The operations could not be loaded. Reload the page to try again.';
  },
);
