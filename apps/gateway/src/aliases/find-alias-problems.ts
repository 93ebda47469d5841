import { SECURITY_SCHEMES } from '@app/dto';
import {
  type DocumentAliases,
  findQueryChoices,
  loadOpenApiDocument,
  parseOperations,
  type QueryChoice,
} from '@app/openapi';
import { DOCUMENT_PATH } from '../document/document.path.js';
import { isPagePath } from '../pages/is-page-path.js';
import { parseRequestTarget } from '../pipeline/match/check-request-target.js';
import { findHeaderProblem } from './find-header-problem.js';

const PATH = /^(?:\/[\w.~:@-]+)+$/;

/** What the gateway serves beside the operations of the OpenAPI document. */
const OTHER_PATHS = [DOCUMENT_PATH, '/explorer', '/internal'];

/** Why requests below this path cannot be rewritten; undefined if they can. @param paths of all operations */
function findAliasPathProblem(alias: string, paths: readonly string[]): string | undefined {
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
function findRealPathProblem(real: string, paths: readonly string[]): string | undefined {
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

export interface AliasProblem {
  /** The place of the problem in the JSON. */
  path: string[];
  message: string;
}

const NAME = /^[a-z][\w.-]{0,63}$/i;
const NAME_MESSAGE = 'must be a letter, then letters, digits, dots, hyphens or underscores, at most 64';

/** Names each alias that reaches no operation, or that hides something of the OpenAPI document. */
export function findAliasProblems(aliases: DocumentAliases): AliasProblem[] {
  const document = loadOpenApiDocument();
  const paths = parseOperations(document).map(({ path }) => path);
  const find = (
    kind: keyof DocumentAliases,
    findProblem: (alias: string, real: string) => string | undefined,
  ): AliasProblem[] =>
    Object.entries(aliases[kind] as Record<string, string>).flatMap(([alias, real]) => {
      const message = findProblem(alias, real);
      return message === undefined ? [] : [{ path: [kind, alias], message }];
    });
  return [
    ...find(
      'pathPrefixes',
      (alias, real) => findAliasPathProblem(alias, paths) ?? findRealPathProblem(real, paths),
    ),
    ...find('headers', (alias, real) => findHeaderProblem(alias, real, Object.keys(aliases.headers))),
    ...findQueryProblems(aliases.queryValues, findQueryChoices(document)),
    ...find('securitySchemes', findSchemeProblem),
  ];
}

function findSchemeProblem(alias: string): string | undefined {
  if (!NAME.test(alias)) return NAME_MESSAGE;
  const isTaken = SECURITY_SCHEMES.some((scheme) => scheme === alias);
  return isTaken ? 'is the name of a security scheme already' : undefined;
}

function findQueryProblems(
  queryValues: DocumentAliases['queryValues'],
  choices: readonly QueryChoice[],
): AliasProblem[] {
  return Object.entries(queryValues).flatMap(([name, values]) => {
    const known = new Set(
      choices.filter((choice) => choice.name === name).flatMap((choice) => choice.values),
    );
    if (known.size === 0)
      return [{ path: ['queryValues', name], message: 'is not a query parameter that lists its values' }];
    return Object.entries(values).flatMap(([alias, real]) => {
      const path = ['queryValues', name, alias];
      if (known.has(alias)) return [{ path, message: 'is a value of this parameter already' }];
      if (!known.has(real)) return [{ path, message: `must stand for one of ${[...known].join(', ')}` }];
      return [];
    });
  });
}
