import { SECURITY_SCHEMES } from '@app/dto';
import {
  type DocumentAliases,
  findQueryChoices,
  loadOpenApiDocument,
  parseOperations,
  type QueryChoice,
} from '@app/openapi';
import { findHeaderProblem } from './find-header-problem.js';
import { findAliasPathProblem, findRealPathProblem } from './find-path-problem.js';

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
