import type { paths } from './openapi.js';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';
type Success = 200 | 201 | 202 | 204;

/** An operation that programs call. Those that only lead a browser elsewhere have no successful answer. */
interface Callable {
  responses: Partial<Record<Success, unknown>>;
}

type HasSuccess<O> = O extends { responses: infer R }
  ? keyof R & Success extends never
    ? false
    : true
  : false;

/** Method and path of an operation, as the API's document writes them: `GET /communities/{communityId}`. */
export type Route = {
  [P in keyof paths]: {
    [M in Method]: HasSuccess<NonNullable<paths[P][M]>> extends true ? `${Uppercase<M>} ${P}` : never;
  }[Method];
}[keyof paths];

type OperationOf<R extends Route> = R extends `${infer M} ${infer P}`
  ? P extends keyof paths
    ? Lowercase<M> extends Method
      ? NonNullable<paths[P][Lowercase<M>]>
      : never
    : never
  : never;

type Parameters<O> = O extends { parameters: infer P } ? P : never;

/** Path, query and header parameters that the operation declares; those that it needs are required. */
type DeclaredParameters<P> = {
  [K in keyof P as K extends 'cookie' ? never : [NonNullable<P[K]>] extends [never] ? never : K]: P[K];
};

type DeclaredBody<O> = O extends { requestBody: { content: infer C } }
  ? { body: C[keyof C] }
  : O extends { requestBody?: infer B }
    ? [NonNullable<B>] extends [never]
      ? unknown
      : NonNullable<B> extends { content: infer C }
        ? { body?: C[keyof C] }
        : unknown
    : unknown;

/** What an operation takes: `path`, `query`, `headers` and `body`. */
export type Input<R extends Route> = DeclaredParameters<Parameters<OperationOf<R>>> &
  DeclaredBody<OperationOf<R>>;

type Content<A> = A extends { content: infer C }
  ? C extends { 'application/json': infer J }
    ? J
    : C[keyof C]
  : undefined;

/** The body of a successful answer. */
export type Output<R extends Route> =
  OperationOf<R> extends infer O extends Callable
    ? { [S in keyof O['responses'] & Success]: Content<O['responses'][S]> }[keyof O['responses'] & Success]
    : never;

interface ItemList {
  items: readonly unknown[];
}

/** A route whose answers are pages of items. */
export type PagedRoute = {
  [R in Route]: Output<R> extends ItemList
    ? keyof Output<R> & ('paginationToken' | 'cursor') extends never
      ? never
      : R
    : never;
}[Route];

/** What the pages of a route list. */
export type Item<R extends PagedRoute> = Output<R> extends { items: readonly (infer T)[] } ? T : never;
