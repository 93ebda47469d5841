import type { Operation } from '@app/openapi';

/** The target of a request: an operation of the OpenAPI document, or the pages. */
export type Destination = Pick<
  Operation,
  'id' | 'upstream' | 'forwardedHeaders' | 'callerRequirement' | 'maxWaitMs'
>;

/** Whether a browser sends its session there, so that scripts of other origins must not read the response. */
export const isBrowserDestination = ({ forwardedHeaders }: Destination): boolean =>
  forwardedHeaders.includes('cookie');
