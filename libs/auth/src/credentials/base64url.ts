/** The bytes of base64url in its one spelling; undefined for padding, spaces or stray bits. */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
