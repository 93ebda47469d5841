import type { Operation } from '@app/openapi';

/** Where a request goes: an operation of the contract, or the pages. */
export type Destination = Pick<Operation, 'id' | 'upstream' | 'forwardedHeaders'>;

/** Whether a browser comes there with its session: then it is nothing for scripts of other origins. */
export const isBrowserDestination = ({ forwardedHeaders }: Destination): boolean =>
  forwardedHeaders.includes('cookie');
