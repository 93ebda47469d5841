import { DOCUMENT_PATH } from '../document/document.path.js';
import { isPagePath } from '../pages/is-page-path.js';
import { parseRequestTarget } from '../pipeline/match/check-request-target.js';

const PATH = /^(?:\/[\w.~:@-]+)+$/;

/** What the gateway serves beside the operations of the OpenAPI document. */
const OTHER_PATHS = [DOCUMENT_PATH, '/explorer', '/internal'];

/** Why requests below this path cannot be rewritten; undefined if they can. @param paths of all operations */
export function findAliasPathProblem(alias: string, paths: readonly string[]): string | undefined {
  if (!PATH.test(alias) || parseRequestTarget(alias) === undefined)
    return 'must be a normalized path such as /api/v1, without a trailing slash';
  // Express matches routes case-insensitively.
  const lower = alias.toLowerCase();
  if (isPagePath(lower) || OTHER_PATHS.some((path) => isBelow(path, lower) || isBelow(lower, path)))
    return 'hides a path of the gateway';
  const hidden = paths.find((path) => isPrefix(alias, path));
  return hidden === undefined ? undefined : `hides ${hidden}`;
}

/** Why this path leads to no operation; undefined if it leads to one. */
export function findRealPathProblem(real: string, paths: readonly string[]): string | undefined {
  if (real === '/' || real === DOCUMENT_PATH) return undefined;
  const leads = PATH.test(real) && paths.some((path) => isPrefix(real, path));
  return leads ? undefined : `must stand for a path of the OpenAPI document, or the beginning of one`;
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** Whether requests for a path template can begin with these segments. */
function isPrefix(prefix: string, template: string): boolean {
  const segments = template.split('/');
  return prefix
    .split('/')
    .every((segment, index) => segment === segments[index] || segments[index]?.startsWith('{'));
}
