import type { Operation } from '@app/contract';

/** Where a request goes: an operation of the contract, or the pages. */
export type Destination = Pick<Operation, 'id' | 'upstream' | 'forwards'>;

/** Whether a browser comes there with its session: then it is nothing for scripts of other origins. */
export const isForBrowsers = ({ forwards }: Destination): boolean => forwards.includes('cookie');
