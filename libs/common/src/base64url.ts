/** Decodes canonical base64url (RFC 4648 section 5); undefined for padding, whitespace or non-zero trailing bits. */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
