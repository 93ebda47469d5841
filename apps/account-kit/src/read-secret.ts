import { UsageError } from '@app/database';

const MAX_BYTES = 1_024;
const SECRET = /^[\x21-\x7e]{16,512}$/;

/**
 * Reads a secret of one line from standard input: other users of the machine see arguments, and shells keep them.
 * @throws UsageError that names `what` is missing
 */
export async function readSecret(what: string): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError(
      `Standard input must be ${what}, such as with \`< file\`: a terminal would show it.`,
    );
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) break;
    chunks.push(chunk);
  }
  const secret = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
  if (size > MAX_BYTES || !SECRET.test(secret))
    throw new UsageError(`Standard input must be ${what}: one line of 16 to 512 characters without spaces.`);
  return secret;
}
