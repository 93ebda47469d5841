import {
  ALIASABLE_HEADERS,
  isRequestHeader,
  type DocumentAliases,
  findQueryChoices,
  loadOpenApiDocument,
  parseOperations,
  type QueryChoice,
} from '@app/openapi';
import { SECURITY_SCHEMES } from '@app/dto';
import {
  CLIENT_PACKAGE_PATH,
  DOCUMENT_PATH,
  DOCUMENTATION_PATH,
  EXPLORER_PATH,
  isPagePath,
  LLMS_PATH,
} from '../own-paths.js';
import { parseRequestTarget } from '../pipeline/match/check-request-target.js';
import { z } from 'zod';

const aliasable = ALIASABLE_HEADERS.map((name) => name.toLowerCase());

const HEADER_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Headers outside the table of headers that have a meaning of their own for the gateway, for proxies or for browsers. */
const RESERVED =
  /^(?:connection|date|expect|forwarded|host|keep-alive|range|set-cookie|te|trailer|upgrade|via|(?:access-control|accept|content|if|proxy|sec|transfer|x-forwarded|x-gatehouse)-.*)$/;

/** Why a header cannot have this other name; undefined if it can. */
function findHeaderProblem(alias: string, real: string, allAliases: readonly string[]): string | undefined {
  const name = alias.toLowerCase();
  if (!HEADER_NAME.test(name)) return 'must be a letter, then letters, digits or hyphens, at most 64';
  if (RESERVED.test(name) || isRequestHeader(name)) return 'is a header with a meaning of its own';
  if (allAliases.filter((one) => one.toLowerCase() === name).length > 1)
    return 'is there twice: case does not matter in names of headers';
  if (aliasable.includes(real.toLowerCase())) return undefined;
  return `must stand for one of ${aliasable.join(', ')}`;
}

const PATH = /^(?:\/[\w.~:@-]+)+$/;

/** What the gateway serves beside the operations of the OpenAPI document. */
const OTHER_PATHS = [
  DOCUMENT_PATH,
  EXPLORER_PATH,
  DOCUMENTATION_PATH,
  LLMS_PATH,
  CLIENT_PACKAGE_PATH,
  '/internal',
];

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
function findAliasProblems(aliases: DocumentAliases): AliasProblem[] {
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

const names = <S extends z.ZodType>(value: S) =>
  z
    .record(z.string(), value)
    .refine((record) => Object.keys(record).length <= 100, 'must have at most 100 entries')
    .default({});

const text = z.string().min(1).max(200);

/** `GATEWAY_ALIASES` (contract.md section 11): each record maps another spelling to the one of the OpenAPI document. */
export const aliasesSchema = z
  .strictObject({
    pathPrefixes: names(text),
    headers: names(text),
    queryValues: names(names(text)),
    securitySchemes: names(z.enum(SECURITY_SCHEMES)),
  })
  .superRefine((aliases, context) => {
    for (const { path, message } of findAliasProblems(aliases))
      context.addIssue({ code: 'custom', path, message });
  });
