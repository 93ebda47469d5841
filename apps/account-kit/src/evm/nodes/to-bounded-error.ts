import { formatErrorReason } from '@app/common';
import { BaseError } from 'viem';

const MAX_LENGTH = 500;
const isFrame = (line: string): boolean => /^ {4}at /.test(line);

/** viem puts the request into `message` and `stack`: the calldata of a bundle has hundreds of kilobytes. Other errors stay. */
export function toBoundedError(error: unknown): unknown {
  if (!(error instanceof BaseError)) return error;
  const bounded = new Error(`${error.shortMessage} ${error.details}`.slice(0, MAX_LENGTH));
  bounded.name = error.name;
  const frames = (error.stack ?? '').split('\n').filter(isFrame);
  bounded.stack = [`${bounded.name}: ${bounded.message}`, ...frames].join('\n');
  return bounded;
}

/** viem's messages end with the URL and the request; `shortMessage` does not. */
export function toShortReason(error: unknown): string {
  if (error instanceof Error && 'shortMessage' in error) return String(error.shortMessage);
  return formatErrorReason(error);
}
